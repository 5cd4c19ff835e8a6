internal import LinnetBytes
internal import LinnetCompression
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// The last stage of the pipeline: takes a connection, sends the request, waits for the head, and hands the body over.
///
/// Stale connections (architecture §7): a reused connection that closes before any byte of a response is an accident of
/// keep-alive. The request is sent again on another connection when nothing of it was sent, or when its method is
/// idempotent and its body can be replayed. That does not count as an attempt.
///
/// Unprocessed requests (RFC 9113 §8.7): what a server names as not processed, by REFUSED_STREAM or a GOAWAY with an earlier
/// stream, is sent again whatever its method is, a bounded number of times.
struct TransportStage: ExchangeStage {
  let pools: ConnectionPools
  let securities: SecurityRegistry
  let proxies: ProxyRegistry
  let configuration: SharedConfiguration

  /// A server that closes every idle connection can make at most this many stale in a row: those of one pool.
  private static var maximumResends: Int { 64 }
  /// What a request may use up in refusals. One that the server means costs 8: who says so 16 times in a row does not want
  /// the request (Go gives up after 7). One that happened because the server went away after others costs 1: with a
  /// server that serves a few requests on each connection, it is a matter of luck.
  private static var refusalBudget: Int { 128 }
  private static func cost(of refusal: TransportFailure) -> Int { refusal.isOvertaken ? 1 : 8 }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    var context = exchange
    do throws(TransportFailure) {
      context.attempts = 0
      try hop.url.admitForSending()
      var request = try PreparedRequest(hop.request, url: hop.url, configuration: configuration.value, proxies: proxies)
      context.attempts = exchange.attempts
      let totalDeadline = request.timeouts.total.map { context.start.advanced(by: $0) } ?? .distantFuture
      var pool = try pool(for: request)
      var httpVersion = request.httpVersion
      var resends = Resends()
      while true {
        // Before there is a connection that would have to be given back.
        try request.authorize()
        let lease = try await lease(from: pool, request, totalDeadline: totalDeadline, context)
        do throws(TransportFailure) {
          let response = try await self.exchange(
            request, on: lease.connection, isReused: lease.isReused, totalDeadline, context)
          guard let forwarder = request.forwarder, try await asksAgain(forwarder, &request, response) else {
            return response
          }
        } catch {
          try admit(error, of: &request, &resends, lease)
          if request.httpVersion != httpVersion {
            httpVersion = request.httpVersion
            pool = try self.pool(for: request)
          }
          request.onEvent?(.resent(reason: error.reason))
        }
      }
    } catch {
      throw context.error(error)
    }
  }

  /// How often a request was sent again, and why.
  private struct Resends {
    var ofStale = 0
    var refusals = 0
    var refusalBudget = TransportStage.refusalBudget
  }

  /// Whether a request that failed is sent again, and how; throws what its caller gets when it is not.
  // Apart, because the compiler repeats what it inlines for each await of `send`.
  @inline(never)
  private func admit(
    _ error: TransportFailure, of request: inout PreparedRequest, _ resends: inout Resends, _ lease: Lease
  ) throws(TransportFailure) {
    if error.demandsHTTP1 {
      // Who may not use HTTP/1.1, or not send the request again, hears what the server said.
      guard request.httpVersion == .automatic,
        error.demandsHTTP1OfRequest ? request.body?.isReplayable ?? true : request.isRepeatable
      else { throw error }
      request.httpVersion = .http1Only
    } else if error.isUnprocessed {
      resends.refusals += 1
      resends.refusalBudget -= Self.cost(of: error)
      try admitRefused(request, error, resends.refusals, isWorthwhile: resends.refusalBudget >= 0)
    } else {
      resends.ofStale += 1
      try admitStale(request, error, lease, resends.ofStale)
    }
  }

  /// Whether a request that the server did not process is sent again; throws what its caller gets when it is not.
  private func admitRefused(
    _ request: PreparedRequest, _ error: TransportFailure, _ refusals: Int, isWorthwhile: Bool
  ) throws(TransportFailure) {
    guard request.body?.isReplayable ?? true else {
      var failure = error
      failure.reason += "; its body cannot be sent again"
      throw failure
    }
    guard isWorthwhile else {
      var failure = error
      failure.code = .streamRefused
      failure.reason += ", \(refusals) times in a row"
      throw failure
    }
  }

  /// Whether a request whose connection was stale is sent again; throws what its caller gets when it is not.
  private func admitStale(
    _ request: PreparedRequest, _ error: TransportFailure, _ lease: Lease, _ resends: Int
  ) throws(TransportFailure) {
    guard lease.mayBeStale, error.isCloseBeforeResponse, resends <= Self.maximumResends else { throw error }
    guard error.sent == .nothing && (request.body?.isReplayable ?? true) || request.isRepeatable else {
      throw TransportFailure(
        code: .staleConnection, phase: .head,
        reason: "the reused connection was closed before any response byte; the request may have been processed",
        sent: error.sent)
    }
  }

  /// Whether a proxy that forwards requests wants this one again, with credentials. A refusal of what it was given is no
  /// response of the origin: it is thrown.
  @inline(never)
  private func asksAgain(
    _ proxy: ProxyServer, _ request: inout PreparedRequest, _ response: HTTPResponse
  ) async throws(TransportFailure) -> Bool {
    let isRepeated = request.answers(response.head)
    guard response.status == .proxyAuthenticationRequired else { return false }
    guard isRepeated else {
      let body = await response.body.reader.beginning(upTo: ConnectTunnelMachine.maximumBodyBytes)
      throw TransportFailure(response.head, body: body, proxy: proxy, reason: "").with(sent: .all)
    }
    request.onEvent?(.challenged(response.head))
    await response.discardBody(reading: ConnectTunnelMachine.maximumBodyBytes)
    return true
  }

  // MARK: Connection

  private struct Lease {
    let connection: any PooledConnection
    /// It carried an exchange before.
    let isReused: Bool
    /// It did, or it was made for a request that took another and lay idle since: its server may have given it up.
    let mayBeStale: Bool
  }

  private func pool(for request: PreparedRequest) throws(TransportFailure) -> OriginPool {
    if request.httpVersion == .http2Only && !request.url.isSecure {
      throw TransportFailure(
        code: .http2NotNegotiated, phase: .request,
        reason: "HTTP/2 is agreed on by TLS only; http2PriorKnowledge speaks it in cleartext")
    }
    // Connections to a proxy that forwards requests are as good for one origin as for another.
    let origin = request.forwarder?.origin ?? request.url.origin
    let security =
      if let forwarder = request.forwarder {
        forwarder.security
      } else if origin.isSecure {
        securities.security(for: request.tls)
      } else {
        ConnectionSecurity?.none
      }
    let httpVersion = request.forwarder == nil ? request.httpVersion : .http1Only
    let key = PoolKey(
      origin: origin, security: security?.id ?? 0, target: request.target,
      proxy: request.proxy.map { $0.isTunnel ? -$0.server.id : $0.server.id } ?? 0, httpVersion: httpVersion)
    let pool = pools.pool(for: key) {
      let route = Route(
        origin: origin, target: request.target, proxy: request.proxy, security: security,
        connectTimeout: request.timeouts.connect, socket: configuration.value.socket,
        resolveOverrides: configuration.value.resolveOverrides, limits: HTTP1Limits(configuration.value.responseLimits),
        httpVersion: httpVersion, http2: configuration.value.http2)
      var limits = PoolLimits(configuration.value.pool, origin: origin)
      limits.assumeMultiplexed = route.mayMultiplex
      return OriginPool(route: route, limits: limits, environment: pools.environment)
    }
    guard let pool else { throw .shutDown }
    return pool
  }

  private func lease(
    from pool: OriginPool, _ request: PreparedRequest, totalDeadline: Instant, _ context: Exchange
  ) async throws(TransportFailure) -> Lease {
    if Task.isCancelled { throw .cancelled.at(.pool) }
    if let idle = pool.leaseIdle() {
      return Lease(connection: idle, isReused: idle.servedExchanges > 0, mayBeStale: true)
    }
    let waitDeadline =
      request.timeouts.connectionWait.map { context.clock.now.advanced(by: $0) } ?? .distantFuture
    let outcome = await pool.lease(
      deadline: waitDeadline, totalDeadline: totalDeadline, connectTimeout: request.timeouts.connect)
    switch outcome {
    case .leased(let connection):
      if Task.isCancelled {
        connection.giveBack()
        throw .cancelled.at(.pool)
      }
      // The deadline may have freed the connection: it passed for the request in front as well.
      guard context.clock.now < totalDeadline else {
        connection.giveBack()
        throw TransportFailure(
          code: .totalTimeout, phase: .pool, reason: "the request waited for a connection until its total timeout")
      }
      let isReused = connection.servedExchanges > 0
      return Lease(connection: connection, isReused: isReused, mayBeStale: isReused)
    case .failed(let failure): throw failure
    }
  }

  // MARK: Exchange

  private func exchange(
    _ request: PreparedRequest, on connection: any PooledConnection, isReused: Bool, _ totalDeadline: Instant,
    _ context: Exchange
  ) async throws(TransportFailure) -> HTTPResponse {
    var timings = ExchangeTimings()
    timings.connected = context.elapsed
    var info = connection.info
    info.isReused = isReused
    request.onEvent?(.connection(info))

    let upload: RequestUpload
    do throws(TransportFailure) {
      upload = try await RequestUpload(request.body, shards: pools.environment.shards)
    } catch {
      connection.giveBack()
      throw error
    }
    let channel = ResponseChannel()
    let start = start(of: request, upload, isReused: isReused, totalDeadline, context)
    // The handler is there before the first byte goes out: what comes first, a cancellation or a timeout, decides.
    let outcome = await withTaskCancellationHandler {
      await sendAndAwaitHead(start, request, upload, connection, channel, context)
    } onCancel: {
      channel.cancel()
    }
    let answer: Answer
    do throws(TransportFailure) {
      answer = try outcome.get()
    } catch {
      // The cancelled side does not know how far the connection had come.
      let failure = error.code == .cancelled ? error.at(.head).with(sent: .maybe) : error
      // What is wrong with the request itself has nothing to do with the peer.
      throw failure.phase == .request ? failure : failure.of(peer: info.peerAddress)
    }
    timings.requestSent = answer.requestSent
    timings.responseHead = context.elapsed
    return response(to: request, answer, channel, info, timings, context)
  }

  // What needs no waiting is apart, so that the frames of requests that wait are small.

  @inline(never)
  private func start(
    of request: PreparedRequest, _ upload: RequestUpload, isReused: Bool, _ totalDeadline: Instant, _ context: Exchange
  ) -> ExchangeStart {
    var start = ExchangeStart(
      head: request.head, length: upload.length, immediateBody: upload.immediate, isComplete: upload.isImmediate,
      timeouts: request.timeouts, totalDeadline: totalDeadline, looksForClose: isReused && !request.staysRepeatable,
      continueDeadline: nil)
    if request.expectsContinue {
      start.immediateBody = nil
      start.isComplete = false
      start.continueDeadline = context.clock.now.advanced(by: configuration.value.expectContinueTimeout)
    }
    return start
  }

  @inline(never)
  private func response(
    to request: PreparedRequest, _ answer: Answer, _ channel: ResponseChannel, _ info: ConnectionInfo,
    _ timings: ExchangeTimings, _ context: Exchange
  ) -> HTTPResponse {
    var context = context
    context.peer = info.peerAddress
    return HTTPResponse(
      head: answer.head, url: request.url,
      body: HTTPResponseBody(
        reader: BodyReader(
          channel: channel, expectedLength: answer.expectedLength,
          decoder: decoder(for: answer.head, expectedLength: answer.expectedLength, request),
          origin: .exchange(context))),
      connection: info, timings: timings, defaultCap: request.collectCap)
  }

  private struct Answer {
    let requestSent: Duration
    let head: ResponseHead
    let expectedLength: UInt64?
  }

  /// Sends the request and waits for the final head; reports interim ones, and starts a body that was held back.
  private func sendAndAwaitHead(
    _ start: ExchangeStart, _ request: PreparedRequest, _ upload: RequestUpload,
    _ connection: any PooledConnection,
    _ channel: ResponseChannel, _ context: Exchange
  ) async -> Result<Answer, TransportFailure> {
    let exchange: ExchangeID
    do throws(TransportFailure) {
      exchange = try connection.begin(start, channel: channel)
    } catch {
      return .failure(error)
    }
    let requestSent = context.elapsed
    if let onEvent = request.onEvent {
      var head = request.head
      head.version = connection.httpVersion
      onEvent(.requestHead(head))
    }
    var isBodyHeldBack = !start.isComplete
    if isBodyHeldBack && !request.expectsContinue {
      isBodyHeldBack = false
      upload.startPump(on: connection, exchange)
    }
    while true {
      switch await channel.nextHeadEvent() {
      case .success(.interim(let head)):
        request.onEvent?(.interim(head))
        if head.status.code == 100 && isBodyHeldBack {
          isBodyHeldBack = false
          upload.startPump(on: connection, exchange)
        }
      case .success(.continueExpired):
        if isBodyHeldBack {
          isBodyHeldBack = false
          upload.startPump(on: connection, exchange)
        }
      case .success(.final(let head, let expectedLength)):
        return .success(Answer(requestSent: requestSent, head: head, expectedLength: expectedLength))
      case .failure(let failure):
        return .failure(failure)
      }
    }
  }

  private func decoder(
    for head: ResponseHead, expectedLength: UInt64?, _ request: PreparedRequest
  ) -> ContentDecoder? {
    // Answers to HEAD, 204 and 304 name the coding of a body that they do not have.
    guard let limits = request.decompression, expectedLength != 0, head.headers.contains("Content-Encoding") else {
      return nil
    }
    let value = head.headers.values(for: "Content-Encoding").joined(separator: ",")
    guard let codings = ContentDecoder.parse(Array(value.utf8).span), !codings.isEmpty else { return nil }
    return ContentDecoder(codings: codings, limits: DecompressionLimits(limits))
  }
}

extension HTTP1Limits {
  init(_ limits: ResponseLimits) {
    self.init()
    // RFC 9112 §5.2: a user agent replaces line folding with spaces.
    acceptsLineFolding = true
    // RFC 9112 §2.2 allows it; small servers and scripts send such heads, and every browser takes them.
    acceptsBareLineFeed = true
    maximumFieldSectionBytes = max(1024, limits.maximumHeadBytes)
    maximumFieldCount = max(16, limits.maximumHeaderFields)
  }
}

extension DecompressionLimits {
  init(_ configuration: DecompressionConfiguration) {
    self.init(
      maximumExpandedBytes: configuration.maximumExpandedBytes,
      maximumRatio: UInt64(clamping: max(1, configuration.maximumRatio)), ratioFloorBytes: configuration.ratioFloorBytes
    )
  }
}

extension PoolLimits {
  init(_ configuration: PoolConfiguration, origin: Origin) {
    self.init()
    maximumConnections = max(
      1,
      configuration.maximumConnectionsByHost["\(origin.host):\(origin.port)"]
        ?? configuration.maximumConnectionsByHost[origin.host] ?? configuration.maximumConnectionsPerOrigin)
    maximumMultiplexedConnections = max(1, configuration.maximumHTTP2ConnectionsPerOrigin)
    maximumIdleConnections = max(0, configuration.maximumIdleConnectionsPerOrigin)
    idleTime = configuration.idleTimeout
    maximumAge = configuration.maximumAge
    maximumWaiters = max(0, configuration.maximumWaitingRequests)
    maximumConcurrentDials = max(1, configuration.maximumConcurrentDials)
  }
}
