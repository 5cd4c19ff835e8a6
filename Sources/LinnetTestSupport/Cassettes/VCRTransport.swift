internal import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP
internal import LinnetTLS

/// What a ``VCRTransport`` does with a request.
public enum VCRMode: Sendable, Hashable, CaseIterable {
  /// It is sent by another transport, and the exchange is added to the cassette.
  case record
  /// It is answered from the cassette; nothing is sent.
  case replay
}

/// A transport that records exchanges into a cassette, and answers from one.
///
/// ```swift
/// // Once, against the real service:
/// let recorder = VCRTransport(mode: .record, recordingTransport: HTTPClient())
/// // … run the code under test with it …
/// try recorder.cassette.write(to: path)
/// // From then on:
/// let transport = VCRTransport(cassette: try .load(from: path), mode: .replay)
/// ```
///
/// **Replay.** A request matches a recorded one with the same method, URL (after redaction, without fragment) and body;
/// header fields do not count. Equal requests get their recorded answers one after the other. A request without a match
/// fails with `TransportError.Code.noRecordedResponse` and says which recorded request is closest.
///
/// **Record.** Bodies of requests and responses are read into memory before they are passed on. What exceeds the limit
/// fails the request with `bodyTooLarge` and is not recorded, so a stream without an end cannot be recorded. Requests that
/// fail are not recorded.
public final class VCRTransport: HTTPTransport {
  private struct State: Sendable {
    /// Nil: a request that was sent and has no response yet, or failed. Its place keeps the order of sending.
    var interactions: [VCRInteraction?]
    /// The positions whose answers were given out.
    var used: Set<Int> = []
  }

  /// What is done with requests.
  public let mode: VCRMode
  private let recordingTransport: any HTTPTransport
  private let redaction: VCRRedactionPolicy
  private let maximumBodyBytes: Int
  private let state: Lock<State>

  /// A transport.
  ///
  /// - Parameters:
  ///   - cassette: What is replayed; what is recorded is added to it. Default: empty.
  ///   - mode: Whether to record or to replay.
  ///   - recordingTransport: What sends requests that are recorded. Default nil: a recording fails at once.
  ///   - redactionPolicy: What does not get into the cassette. Default ``VCRRedactionPolicy/default``.
  ///   - maximumBodyBytes: The largest body, of a request or a response, in bytes. Default 64 MiB.
  public init(
    cassette: VCRCassette = VCRCassette(), mode: VCRMode, recordingTransport: (any HTTPTransport)? = nil,
    redactionPolicy: VCRRedactionPolicy = .default, maximumBodyBytes: Int = 64 << 20
  ) {
    self.mode = mode
    self.recordingTransport = recordingTransport ?? UnconfiguredTransport(missing: "recordingTransport")
    redaction = redactionPolicy
    self.maximumBodyBytes = maximumBodyBytes
    state = Lock(State(interactions: cassette.interactions))
  }

  /// The cassette: what was given and, when recording, what was added so far, in the order in which requests were sent.
  public var cassette: VCRCassette {
    VCRCassette(interactions: state.withLock { $0.interactions.compactMap { $0 } })
  }

  /// The recorded exchanges that no request asked for yet: a test can check that it is empty at the end.
  public var unusedInteractions: [VCRInteraction] {
    guard mode == .replay else { return [] }
    return state.withLock { state in
      state.interactions.indices.filter { !state.used.contains($0) }.compactMap { state.interactions[$0] }
    }
  }

  /// Records or replays the request.
  ///
  /// - Throws: Replaying: `TransportError.Code.noRecordedResponse`, `cancelled`, and what an `HTTPClient`
  ///   throws for a request that cannot be sent. Recording: what the recording transport throws, also while its
  ///   response's body is read, and `bodyTooLarge`.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let url = try request.admittedURL()
    let request = try await withBodyInMemory(request, url)
    let digest = try Self.digest(of: request.body?.bytesInMemory)
    let recorded = VCRRequest(
      method: request.method, url: redaction.redact(url), headers: redaction.redact(request.headers), bodySHA256: digest
    )
    switch mode {
    case .replay: return try await replay(recorded, for: request, url)
    case .record: return try await record(recorded, request)
    }
  }

  private func withBodyInMemory(_ request: HTTPRequest, _ url: HTTPURL) async throws(TransportError) -> HTTPRequest {
    guard let body = request.body else { return request }
    var copy = request
    do throws(TransportError) {
      copy.body = .chunk(try await body.collect(upTo: maximumBodyBytes))
    } catch {
      throw error.attributed(to: request, url)
    }
    return copy
  }

  // MARK: Replay

  private func replay(
    _ wanted: VCRRequest, for request: HTTPRequest, _ url: HTTPURL
  ) async throws(TransportError) -> HTTPResponse {
    if Task.isCancelled {
      throw TransportError(
        code: .cancelled, phase: .request, sent: .nothing, reason: "the task was cancelled", method: request.method,
        url: url)
    }
    let lookup = VCRLookup(wanted, redaction: redaction)
    let found = state.withLock { state -> VCRResponse? in
      let position = state.interactions.indices.first { index in
        guard !state.used.contains(index), let interaction = state.interactions[index] else { return false }
        return lookup.matches(interaction.request)
      }
      guard let position else { return nil }
      state.used.insert(position)
      return state.interactions[position]?.response
    }
    guard let found else {
      throw TransportError(
        code: .noRecordedResponse, phase: .request, sent: .nothing, reason: lookup.explanation(in: cassette),
        method: request.method, url: url)
    }
    return try await MockResponse.http(
      statusCode: found.statusCode, data: found.body, headers: found.headers
    ).response(to: request)
  }

  // MARK: Record

  private func record(_ recorded: VCRRequest, _ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let position = state.withLock { state in
      state.interactions.append(nil)
      return state.interactions.count - 1
    }
    let response = try await recordingTransport.send(request)
    let body = try await response.collect(upTo: maximumBodyBytes)
    let interaction = VCRInteraction(
      request: recorded,
      response: redaction.redact(statusCode: response.status.code, headers: response.headers, body: Data(body)))
    state.withLock { $0.interactions[position] = interaction }
    return HTTPResponse(
      head: response.head, url: response.url, body: .bytes(body), connection: response.connection,
      timings: response.timings
    ).answering(request)
  }

  private static func digest(of bytes: ByteChunk?) throws(TransportError) -> String? {
    guard let bytes, !bytes.isEmpty else { return nil }
    do throws(TLSError) {
      let digest = try Digest.hash(bytes.span, with: .sha256)
      return digest.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
    } catch {
      throw TransportError(
        code: .systemError, phase: .request, sent: .nothing, reason: "the body's digest cannot be made",
        underlying: error)
    }
  }
}

extension TransportError.Code {
  /// A cassette has no answer to a request, or none that was not given out.
  public static var noRecordedResponse: TransportError.Code { TransportError.Code(rawValue: "noRecordedResponse") }
}
