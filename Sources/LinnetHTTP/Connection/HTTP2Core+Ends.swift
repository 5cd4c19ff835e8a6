internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// How exchanges, streams and the connection end.
extension HTTP2Core {
  /// The response is complete.
  mutating func complete(_ stream: HTTP2StreamID, trailers: HTTPHeaders?, effects: inout Effects) {
    guard end(stream, .finished(trailers: trailers), effects: &effects) != nil else { return }
    completed &+= 1
    followers += 1
    if learnedStreamLimit < settledStreamLimit {
      learnedStreamLimit += 1
      tellStreamLimit(&effects)
    }
    // The server has said all it has to say; the rest of the request, if any, would be wasted (RFC 9113 §8.1), and a
    // server that never makes room for it would keep the stream and its lease for ever. Without a rest the stream is
    // gone.
    session.reset(stream, .cancel)
  }

  /// The peer, or the session for it, ended the stream before the response was complete.
  mutating func reset(_ stream: HTTP2StreamID, _ error: HTTP2Error, effects: inout Effects) {
    guard let exchange = exchanges[stream] else { return }
    var failure = TransportFailure(error)
    if error.code == .enhanceYourCalm, error.reason == .reset { effects.isPeerOverloaded = true }
    if error.isUnprocessed {
      failure.sent = .nothing
      failure.phase = .send
      if let goAwayCode { failure.http2ErrorCode = goAwayCode.rawValue }
      failure.isOvertaken = endedBy?.isOvertaken ?? false
      _ = end(stream, .failed(failure), effects: &effects)
      // More was assumed than the peer allows; what is still open is what it has room for.
      if !isGoingAway && !isSettled {
        learnedStreamLimit = max(1, min(exchanges.count, settledStreamLimit))
        tellStreamLimit(&effects)
      }
      return
    }
    failure.phase = phase(of: exchange)
    _ = end(stream, .failed(failure.with(sent: sentState(of: exchange))), effects: &effects)
  }

  /// The stream is gone, and its lease with it.
  mutating func closed(_ stream: HTTP2StreamID, effects: inout Effects) {
    _ = end(
      stream, .failed(TransportFailure(code: .connectionLost, phase: .body, reason: "the stream was closed")),
      effects: &effects)
    effects.releasedStreams += 1
  }

  /// Ends an exchange with a failure of ours, and resets its stream.
  mutating func fail(
    _ stream: HTTP2StreamID, _ failure: TransportFailure, code: HTTP2ErrorCode, effects: inout Effects
  ) {
    guard end(stream, .failed(failure), effects: &effects) != nil else { return }
    session.reset(stream, code)
  }

  /// Takes an exchange off its stream.
  @discardableResult
  mutating func end(
    _ stream: HTTP2StreamID, _ end: ResponseChannel.End, effects: inout Effects
  ) -> HTTP2Exchange? {
    guard let ended = exchanges.removeValue(forKey: stream) else { return nil }
    if let deadline = ended.deadline { deadlines.cancel(deadline.id) }
    effects.ended.append((ended.channel, end))
    if !ended.isRequestComplete, let pump = ended.pump { effects.pumpsToCancel.append(pump) }
    if let waiter = ended.sendWaiter { effects.wakes.append(waiter) }
    return ended
  }

  /// What an exchange waits for now.
  func phase(of exchange: HTTP2Exchange) -> TransportError.Phase {
    if exchange.isHeadReceived { return .body }
    return exchange.requestSentAt != nil || exchange.continueDeadline != nil ? .head : .send
  }

  func sentState(of exchange: HTTP2Exchange) -> TransportError.SentState {
    if exchange.requestSentAt != nil { return .all }
    return writtenBytes == exchange.writeMark && !exchange.isHeadReceived ? .nothing : .maybe
  }

  // MARK: The connection

  /// Fails every exchange and closes.
  ///
  /// - Parameter isEndOfInput: The peer closed in order. On a connection that is new that has a name of its own, for
  ///   requests that it got.
  mutating func failAll(_ failure: TransportFailure, isEndOfInput: Bool = false, effects: inout Effects) {
    if endedBy == nil { endedBy = failure.code == .connectionLost ? Self.endedBeforeRequest : failure.beforeRequest }
    // First, because it may carry more of the requests, and what was sent of each must be true.
    sayGoodbye()
    let hasAnswered = completed > 0 || served > UInt64(exchanges.count)
    for (stream, exchange) in exchanges {
      var own = failure.with(sent: sentState(of: exchange))
      if failure.phase != .tls { own.phase = phase(of: exchange) }
      own.isCloseBeforeResponse = failure.isCloseBeforeResponse && !exchange.isHeadReceived
      if isEndOfInput, own.isCloseBeforeResponse, !hasAnswered, exchange.requestSentAt != nil { own.code = .emptyReply }
      end(stream, .failed(own), effects: &effects)
    }
    close(effects: &effects)
  }

  /// Closes a connection without exchanges; whoever holds a lease but has not begun is told why.
  mutating func closeIdle(_ failure: TransportFailure, effects: inout Effects) {
    if endedBy == nil { endedBy = failure }
    close(effects: &effects)
  }

  /// Says GOAWAY and closes the socket. Deregistered first, so that no event of this descriptor can reach its successor.
  mutating func close(effects: inout Effects) {
    guard transport != nil else { return }
    for stream in exchanges.keys {
      end(
        stream, .failed(TransportFailure(code: .connectionLost, phase: .body, reason: "the connection was closed")),
        effects: &effects)
    }
    sayGoodbye()
    var taken: ByteTransport?
    swap(&taken, &transport)
    guard var closing = taken else { return }
    closing.sendGoodbye()
    unregister()
    closing.close()
    output.removeAll()
    sending.removeAll()
    effects.isClosed = true
  }

  /// GOAWAY, once.
  private mutating func sayGoodbye() {
    guard transport != nil, sendFailure == nil, !hasSaidGoodbye else { return }
    hasSaidGoodbye = true
    session.goAway(.noError)
    session.drain(into: &output, upTo: 0)
    // A peer that does not take it cannot be told.
    _ = try? transport?.flush(&output)
  }

  private mutating func unregister() {
    var taken: Slot?
    swap(&taken, &slot)
    if let registered = taken { shard.deregister(registered) }
    if let timer { shard.cancel(timer) }
    timer = nil
  }
}
