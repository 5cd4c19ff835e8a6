internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// The two halves of a turn: what came, and what goes out.
extension HTTP2Core {
  // MARK: Sending

  /// Makes frames and pushes them into the socket, as far as it takes them.
  mutating func flush(now: Instant, effects: inout Effects) {
    guard transport != nil, sendFailure == nil else { return }
    let before = writtenBytes
    var hadOutput = false
    var budget = Self.writesPerTurn
    repeat {
      budget -= 1
      // What a peer that does not read makes us answer stays in the session, which counts it.
      if output.count < Self.outputAheadBytes {
        session.drain(into: &output, upTo: Self.outputAheadBytes - output.count)
      }
      hadOutput = !output.isEmpty
      do throws(TransportFailure) {
        try transport?.flush(&output)
      } catch {
        failSending(error, now: now, effects: &effects)
        return
      }
    } while budget > 0 && canSendMore(hadOutput)
    if budget == 0, canSendMore(hadOutput) { effects.needsTurn = true }
    deliverEvents(now: now, effects: &effects)
    if writtenBytes != before || !sending.isEmpty { noteSent(now: now) }
  }

  /// The socket has taken all that there was, and there is more.
  private func canSendMore(_ hadOutput: Bool) -> Bool {
    hadOutput && output.isEmpty && !hasPendingCiphertext && session.wantsToSend
  }

  /// Finds the requests that have left completely, which starts their head timeouts.
  private mutating func noteSent(now: Instant) {
    let isFlushed = output.isEmpty && !hasPendingCiphertext
    var index = 0
    while index < sending.count {
      let stream = sending[index]
      guard let exchange = exchanges[stream] else {
        sending.swapRemove(at: index)
        continue
      }
      let unsent = session.unsentBytes(on: stream)
      if unsent != exchange.lastUnsent {
        exchange.lastUnsent = unsent
        exchange.lastProgress = now
      }
      if isFlushed, exchange.isRequestComplete, unsent == 0, session.isHeadSent(on: stream) {
        exchange.requestSentAt = now
        sending.swapRemove(at: index)
        rearm(stream)
      } else {
        index += 1
      }
    }
  }

  /// What was received before the sending failed still counts.
  private mutating func failSending(_ failure: TransportFailure, now: Instant, effects: inout Effects) {
    sendFailure = failure
    output.removeAll()
    transport?.isReadable = true
    transport?.isPeerClosed = true
    receive(now: now, effects: &effects)
    if transport != nil, !effects.needsTurn { failAll(failure, effects: &effects) }
  }

  // MARK: Receiving

  /// Reads and parses while bytes are there and the budget lasts.
  mutating func receive(now: Instant, effects: inout Effects) {
    var budget = Self.readsPerTurn
    let start = receivedBytes
    var isAtEnd = false
    while transport?.isReadable == true, !isAtEnd {
      guard budget > 0, receivedBytes &- start < Self.bytesPerTurn else {
        effects.needsTurn = true
        return
      }
      budget -= 1
      do throws(TransportFailure) {
        switch try transport?.read(into: &session) {
        case .wouldBlock, nil: return
        case .endOfFile:
          isAtEnd = true
          session.receiveEOF()
        case .progressed: heard(now: now, effects: &effects)
        }
      } catch {
        deliverEvents(now: now, effects: &effects)
        if transport != nil { failReceiving(error, effects: &effects) }
        return
      }
      collectTLS(&effects)
      deliverEvents(now: now, effects: &effects)
      if isAtEnd, transport != nil { closeIdle(Self.endedBeforeRequest, effects: &effects) }
    }
  }

  /// Tickets and key log lines leave the engine whenever it has read something.
  private mutating func collectTLS(_ effects: inout Effects) {
    guard transport?.isEncrypted == true else { return }
    if let sessions = transport?.takeNewSessions() {
      for session in sessions { effects.sessions.append(session) }
    }
    if let lines = transport?.takeKeyLogLines(), !lines.isEmpty { effects.keyLogLines += lines }
  }

  private mutating func failReceiving(_ failure: TransportFailure, effects: inout Effects) {
    // What the sending failed with is the better story, unless it is the same one.
    var failure = failure
    if let sendFailure, sendFailure.code != .connectionLost { failure = sendFailure }
    failure.isCloseBeforeResponse = failure.code == .connectionLost
    failAll(failure, effects: &effects)
  }

  /// Hands the session's events to the consumers.
  mutating func deliverEvents(now: Instant, effects: inout Effects) {
    while transport != nil, let event = session.nextEvent(now: now) {
      switch event {
      case .data(let stream, let chunk): deliver(chunk, on: stream, now: now, effects: &effects)
      case .head(let stream, let head, let length): deliver(head, length, on: stream, now: now, effects: &effects)
      case .interim(let stream, let head): deliverInterim(head, on: stream, now: now, effects: &effects)
      case .end(let stream, let trailers): complete(stream, trailers: trailers, effects: &effects)
      case .reset(let stream, let error): reset(stream, error, effects: &effects)
      case .closed(let stream): closed(stream, effects: &effects)
      case .writable(let stream): wakeSender(of: stream, effects: &effects)
      // The exchange ended with the response; whoever produces the body is told by that.
      case .sendingStopped, .request: break
      case .settings(let settings):
        isSettled = true
        learnedStreamLimit = .max
        settledStreamLimit = min(settings.maximumConcurrentStreams, max(1, configuration.maximumConcurrentStreams))
        tellStreamLimit(&effects)
      case .goAway(let last, let code, _): goingAway(last, code, effects: &effects)
      case .pong(let number): answered(number)
      case .connectionFailed(let error): sessionFailed(error, now: now, effects: &effects)
      }
    }
    if isGoingAway || closesWhenEmpty, exchanges.isEmpty, session.openStreams == 0, transport != nil {
      close(effects: &effects)
    }
  }

  private mutating func deliver(
    _ head: ResponseHead, _ length: UInt64?, on stream: HTTP2StreamID, now: Instant, effects: inout Effects
  ) {
    hasResponded = true
    guard let exchange = exchanges[stream] else { return }
    exchange.isHeadReceived = true
    exchange.continueDeadline = nil
    exchange.lastProgress = now
    wake(exchange.channel.append(.final(head, expectedLength: length)), &effects)
    rearm(stream)
  }

  private mutating func deliverInterim(
    _ head: ResponseHead, on stream: HTTP2StreamID, now: Instant, effects: inout Effects
  ) {
    guard let exchange = exchanges[stream] else { return }
    if head.status.code == 100 { exchange.continueDeadline = nil }
    exchange.lastProgress = now
    wake(exchange.channel.append(.interim(head)), &effects)
  }

  private mutating func deliver(
    _ chunk: ByteChunk, on stream: HTTP2StreamID, now: Instant, effects: inout Effects
  ) {
    guard let exchange = exchanges[stream] else { return }
    exchange.unconsumed += chunk.count
    exchange.lastProgress = now
    wake(exchange.channel.append(chunk).waiter, &effects)
  }

  private mutating func wakeSender(of stream: HTTP2StreamID, effects: inout Effects) {
    guard let exchange = exchanges[stream], let waiter = exchange.sendWaiter else { return }
    exchange.sendWaiter = nil
    effects.wakes.append(waiter)
  }

  private func wake(_ waiter: ResponseChannel.Waiter?, _ effects: inout Effects) {
    if let waiter { effects.wakes.append(waiter) }
  }

  // MARK: The connection's own events

  private mutating func goingAway(_ last: HTTP2StreamID, _ code: HTTP2ErrorCode, effects: inout Effects) {
    if code == .enhanceYourCalm || (last.rawValue == 0 && completed == 0) { effects.isPeerOverloaded = true }
    var failure = Self.endedBeforeRequest
    failure.http2ErrorCode = code.rawValue
    failure.isUnprocessed = true
    failure.isOvertaken = last.rawValue > 0
    endedBy = failure
    goAwayCode = code
    guard !isGoingAway else { return }
    isGoingAway = true
    effects.willClose = true
  }

  private mutating func sessionFailed(_ error: HTTP2Error, now: Instant, effects: inout Effects) {
    var failure = TransportFailure(error)
    failure.isCloseBeforeResponse = failure.code == .connectionLost
    if endedBy == nil { endedBy = failure }
    // The GOAWAY that tells the peer why; a socket that does not take it does not get it.
    if sendFailure == nil {
      session.drain(into: &output, upTo: Self.outputAheadBytes)
      _ = try? transport?.flush(&output)
    }
    failAll(failure, isEndOfInput: error.reason == .endOfInput, effects: &effects)
  }

  /// Tells the pool when the number of streams that it may use has changed.
  mutating func tellStreamLimit(_ effects: inout Effects) {
    guard streamLimit != toldStreamLimit, !isGoingAway else { return }
    toldStreamLimit = streamLimit
    effects.hasNewStreamLimit = true
  }

  // MARK: Signs of life

  /// Bytes came, whatever they are.
  private mutating func heard(now: Instant, effects: inout Effects) {
    lastRead = now
    guard isSuspect else { return }
    isSuspect = false
    tellStreamLimit(&effects)
  }

  /// Asks the peer for a sign of life, unless it is asked already.
  mutating func ping(now: Instant) {
    guard pingSentAt == nil else { return }
    pings &+= 1
    pingSentAt = now
    session.ping(pings)
  }

  private mutating func answered(_ number: UInt64) {
    if number == pings { pingSentAt = nil }
  }
}

extension Array {
  /// Removes in constant time; the order is lost.
  fileprivate mutating func swapRemove(at index: Int) {
    swapAt(index, count - 1)
    removeLast()
  }
}
