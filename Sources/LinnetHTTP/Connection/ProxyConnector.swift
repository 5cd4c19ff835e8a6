internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// Asks a proxy for a connection to an origin, over a connection to the proxy.
///
/// The steps are kept apart by `@inline(never)`, here and in ``ConnectionFactory``: the compiler repeats what it inlines for each
/// await of a function.
struct ProxyConnector {
  let server: ProxyServer
  /// What a CONNECT request says beside what the proxy's settings add.
  let headers: HTTPHeaders
  /// Where the connection shall lead.
  let origin: Origin
  /// For a proxy that does not resolve names, the addresses of the origin that are still to be asked for, the next first;
  /// empty for the others.
  private(set) var addresses: ArraySlice<IPAddress>
  let limits: HTTP1Limits
  let clock: any MonotonicClock

  enum Outcome {
    /// The connection leads to the origin. With it, a proxy's answer to CONNECT.
    case connected(ResponseHead?)
    /// It asked for credentials, and closed: it has to be told on another connection.
    case challenged
  }

  /// What became of the addresses that were asked for before.
  private var refusals: [TransportError.PeerAttempt] = []

  init(
    server: ProxyServer, headers: HTTPHeaders, origin: Origin, addresses: [IPAddress], limits: HTTP1Limits,
    clock: any MonotonicClock
  ) {
    self.server = server
    self.headers = headers
    self.origin = origin
    self.addresses = addresses[...]
    self.limits = limits
    self.clock = clock
  }

  /// Goes on to the next address of the origin, on another connection: a proxy that has refused closes it (RFC 1928 §6).
  ///
  /// - Throws: What the caller gets when there is none, or when the failure has nothing to do with the address: the reason
  ///   that the last one failed for, which is the least wanted; `peers` has all of them.
  mutating func goOn(after failure: TransportFailure) throws(TransportFailure) {
    let isOfAddress = failure.code == .proxyRefused || failure.code == .connectTimeout && failure.phase == .proxy
    guard isOfAddress, let address = addresses.first else { throw failure }
    refusals += failure.peers.map { peer in
      TransportError.PeerAttempt(address: peer.address, cause: "\(address): \(peer.cause)")
    }
    guard addresses.count > 1 else {
      var failure = failure
      if refusals.count > 1 {
        failure.reason += "; \(address) is the last of \(refusals.count) addresses that it was asked for"
        failure.peers = refusals
      }
      throw failure
    }
    addresses.removeFirst()
  }

  /// - Parameter dialogue: What was said about credentials so far, also on earlier connections.
  func run(
    on dialled: inout DialledTransport, _ dialogue: inout ChallengeDialogue?
  ) async throws(TransportFailure) -> Outcome {
    do throws(TransportFailure) {
      switch server.proxy.kind {
      case .http, .https:
        return try await connect(&dialled, &dialogue)
      case .socks4a:
        let credentials = try socksCredentials()
        var machine = try named { () throws(ProxyHandshakeError) in
          try SOCKS4Machine(target: target, userID: credentials?.user ?? [])
        }
        return try await socks(&machine, &dialled)
      case .socks5, .socks5h:
        let credentials = try socksCredentials()
        var machine = try named { () throws(ProxyHandshakeError) in
          try SOCKS5Machine(target: target, credentials: credentials)
        }
        return try await socks(&machine, &dialled)
      }
    } catch {
      throw error.of(peer: dialled.peer)
    }
  }

  private var target: ProxyTarget {
    addresses.first.map { ProxyTarget(host: .address($0), port: origin.port) }
      ?? ProxyTarget(host: origin.host, port: origin.port)
  }

  private func named<Value: ~Copyable>(
    _ body: () throws(ProxyHandshakeError) -> Value
  ) throws(TransportFailure) -> Value {
    do throws(ProxyHandshakeError) { return try body() } catch { throw TransportFailure(error, proxy: server) }
  }

  @inline(never)
  private func socks<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ dialled: inout DialledTransport
  ) async throws(TransportFailure) -> Outcome {
    var output = WriteBuffer()
    let deadline = patience(until: dialled.deadline)
    while true {
      // A SOCKS proxy has no other answers.
      if case .established = try await step(&machine, &dialled, &output, until: deadline) {
        return .connected(nil)
      }
    }
  }

  /// How long an address is waited for: a fair share of what is left, so that one which nobody answers at does not take the
  /// time of the others.
  private func patience(until deadline: Instant) -> Instant {
    guard addresses.count > 1, deadline != .distantFuture else { return deadline }
    let now = clock.now
    return now.advanced(by: max(.zero, now.duration(to: deadline)) / addresses.count)
  }

  @inline(never)
  private func socksCredentials() throws(TransportFailure) -> SOCKSCredentials? {
    guard let credentials = server.proxy.credentials else { return nil }
    guard let login = credentials.login else {
      throw TransportFailure(
        code: .invalidConfiguration, phase: .request, reason: "\(server.name) takes a name and a password, and no token"
      )
    }
    // Who asks for Digest does not want the password itself to be sent, which is all that SOCKS knows.
    if case .digest = credentials.kind {
      throw TransportFailure(
        code: .invalidConfiguration, phase: .request,
        reason: "\(server.name) knows no Digest: it would get the password")
    }
    return SOCKSCredentials(user: login.user, password: login.password)
  }

  @inline(never)
  private func connect(
    _ dialled: inout DialledTransport, _ dialogue: inout ChallengeDialogue?
  ) async throws(TransportFailure) -> Outcome {
    var machine = ConnectTunnelMachine(target: origin, headers: try fields(&dialogue), limits: limits)
    var output = WriteBuffer()
    var deadline = dialled.deadline
    var isRepeated = false
    while true {
      let event: ProxyHandshakeEvent
      do throws(TransportFailure) {
        event = try next(&machine, &dialled, &output)
        if case .needMoreData = event {
          // Once its head is known, the rest of a refusal has little time: it explains, and decides nothing.
          if let refusal = machine.refusal, deadline == dialled.deadline {
            // Nor is it waited for when the answer goes to another connection in any case.
            if !machine.mayRetry, dialogue?.accepts(refusal.head) == true { return .challenged }
            deadline = min(deadline, clock.now.advanced(by: ResponseChannel.restPatience))
          }
          try await move(&machine, &dialled, &output, until: deadline)
        }
      } catch {
        // It did not say that it would close behind its challenge.
        if isRepeated, error.code == .invalidProxyResponse { return .challenged }
        // What is known of a refusal is worth more than the rest of its body.
        guard error.code == .connectTimeout, let refusal = machine.refusal else { throw error }
        return try judge(refusal, &dialogue)
      }
      switch event {
      case .interim, .needMoreData: continue
      case .established:
        if let response = machine.response { _ = dialogue?.accepts(response) }
        return .connected(machine.response)
      case .refused(let refusal):
        let outcome = try judge(refusal, &dialogue)
        guard refusal.canRetry, !dialled.transport.isPeerClosed else { return outcome }
        let fields = try fields(&dialogue)
        do throws(ProxyHandshakeError) { try machine.retry(headers: fields) } catch { return outcome }
        deadline = dialled.deadline
        isRepeated = true
      }
    }
  }

  /// Throws what the caller gets, unless the proxy is to be asked again with credentials.
  @inline(never)
  private func judge(_ refusal: ProxyRefusal, _ dialogue: inout ChallengeDialogue?) throws(TransportFailure) -> Outcome
  {
    guard dialogue?.accepts(refusal.head) == true else {
      throw TransportFailure(refusal, proxy: server, origin: origin)
    }
    return .challenged
  }

  /// The fields of a CONNECT request.
  @inline(never)
  private func fields(_ dialogue: inout ChallengeDialogue?) throws(TransportFailure) -> HTTPHeaders {
    var fields = headers
    fields.replace(with: server.proxy.headers)
    let target = RequestTarget(authority: origin)
    _ = try dialogue?.authorize(method: .connect, target: target, content: ByteChunk(), into: &fields)
    return fields
  }

  // MARK: One step

  /// What the machine says to what was received so far; when it has nothing to say, sends, waits and receives first.
  @inline(never)
  private func step<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ dialled: inout DialledTransport, _ output: inout WriteBuffer, until deadline: Instant
  ) async throws(TransportFailure) -> ProxyHandshakeEvent {
    let event = try next(&machine, &dialled, &output)
    if case .needMoreData = event { try await move(&machine, &dialled, &output, until: deadline) }
    return event
  }

  /// What the machine says to what was received so far.
  @inline(never)
  private func next<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ dialled: inout DialledTransport, _ output: inout WriteBuffer
  ) throws(TransportFailure) -> ProxyHandshakeEvent {
    let event: ProxyHandshakeEvent
    do throws(ProxyHandshakeError) {
      event = try machine.nextEvent(into: &output)
    } catch {
      throw TransportFailure(error, proxy: server)
    }
    if case .established = event { dialled.transport.unread(machine.takeLeftover().span) }
    return event
  }

  /// Moves bytes in whichever direction the talk waits for.
  @inline(never)
  private func move<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ dialled: inout DialledTransport, _ output: inout WriteBuffer, until deadline: Instant
  ) async throws(TransportFailure) {
    do throws(TransportFailure) {
      try dialled.transport.flush(&output)
    } catch {
      // A proxy that closed may have said why.
      output.removeAll()
      dialled.transport.isReadable = true
      dialled.transport.isPeerClosed = true
    }
    do throws(ReadinessWaitError) {
      guard try await dialled.wait(hasOutput: !output.isEmpty, until: deadline) else { return }
    } catch {
      switch error {
      case .cancelled: throw TransportFailure.cancelled.at(.proxy)
      case .timedOut:
        throw TransportFailure(
          code: .connectTimeout, phase: .proxy, reason: "\(server.name) did not answer in time")
      }
    }
    var input = ProxyInput()
    var hasEnded = false
    do throws(TransportFailure) {
      if case .endOfFile = try dialled.transport.read(into: &input) { hasEnded = true }
    } catch {
      // It may refuse our certificate only now (TLS 1.3); a reset is no more than an end.
      if error.phase == .tls { throw error.naming(server) }
      hasEnded = true
    }
    machine.receive(input.buffer.span)
    if hasEnded { machine.receiveEOF() }
  }
}

/// Where a proxy's bytes go before its machine takes them.
private struct ProxyInput: ByteReceiver, ~Copyable {
  var buffer = ReadBuffer()

  /// An answer with a page that explains it; SOCKS needs less than 300.
  var suggestedReadSize: Int { 4096 }
  /// The answer ends by itself; what breaks off is noticed by the machine.
  var isDelimitedByClose: Bool { false }

  mutating func withReceiveCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    try buffer.withSpareCapacity(minimum: minimum, body)
  }
}
