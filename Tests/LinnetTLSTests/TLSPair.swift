import LinnetBytes
import LinnetTLS
import LinnetTestRandom

/// How ciphertext is cut on its way from one end to the other.
enum Cut: Sendable, CaseIterable {
  case whole
  case bytewise
  case random
}

extension TLSEngine {
  /// Writes all of `plaintext`.
  mutating func writeAll(_ plaintext: [UInt8]) throws(TLSError) {
    var buffer = WriteBuffer()
    buffer.append(ByteChunk(plaintext))
    while !buffer.isEmpty {
      if try write(from: &buffer, upTo: .max) == 0 { return }
    }
  }

  /// Reads what is there in pieces of at most `step` bytes.
  mutating func readAvailable(step: Int = 16384) throws(TLSError) -> (bytes: [UInt8], isClosed: Bool) {
    var all: [UInt8] = []
    while true {
      var outcome: Result<TLSReadResult, TLSError> = .success(.needsInput)
      let piece = [UInt8](unsafeUninitializedCapacity: step) { room, initialized in
        do throws(TLSError) {
          let result = try read(into: UnsafeMutableRawBufferPointer(room))
          outcome = .success(result)
          if case .bytes(let count) = result { initialized = count }
        } catch {
          outcome = .failure(error)
        }
      }
      switch try outcome.get() {
      case .bytes: all.append(contentsOf: piece)
      case .needsInput: return (all, false)
      case .closed: return (all, true)
      }
    }
  }

  /// The ciphertext that waits to be sent.
  mutating func drain() -> [UInt8] {
    var out = WriteBuffer()
    drainCiphertext(into: &out)
    return out.takeAll()
  }
}

/// A client and a server in memory, and the bytes between them.
struct TLSPair: ~Copyable {
  var client: TLSEngine
  var server: TLSEngine
  private let cut: Cut
  private var generator: SeededGenerator

  init(
    client: TLSContext, server: TLSContext, name: TLSServerName = .dns("example.test"), session: TLSSession? = nil,
    cut: Cut = .whole, seed: UInt64 = 1
  ) throws(TLSError) {
    let clientEnd = try TLSEngine(context: client, serverName: name, session: session)
    let serverEnd = try TLSEngine(serverContext: server)
    self.client = clientEnd
    self.server = serverEnd
    self.cut = cut
    generator = SeededGenerator(seed: seed)
  }

  private mutating func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
    switch cut {
    case .whole: return bytes.isEmpty ? [] : [bytes]
    case .bytewise: return bytes.map { [$0] }
    case .random:
      var result: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let length = Int.random(in: 1...min(rest.count, 700), using: &generator)
        result.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      return result
    }
  }

  /// Both ends until both are complete. What an end throws ends the exchange after its alert was delivered.
  ///
  /// - Returns: The errors of client and server.
  mutating func shakeHands() -> (client: TLSError?, server: TLSError?) {
    var clientError: TLSError?
    var serverError: TLSError?
    var isComplete = (client: false, server: false)
    for _ in 0..<20 where !(isComplete.client && isComplete.server) {
      do throws(TLSError) { isComplete.client = try client.handshake() == .complete } catch { clientError = error }
      for piece in pieces(client.drain()) {
        server.receiveCiphertext(piece.span)
        do throws(TLSError) { isComplete.server = try server.handshake() == .complete } catch { serverError = error }
      }
      for piece in pieces(server.drain()) {
        client.receiveCiphertext(piece.span)
        do throws(TLSError) { isComplete.client = try client.handshake() == .complete } catch { clientError = error }
      }
      if clientError != nil || serverError != nil {
        // A last look, so that the other end sees the alert.
        server.receiveCiphertext(client.drain().span)
        do throws(TLSError) { _ = try server.handshake() } catch { serverError = error }
        return (clientError, serverError)
      }
    }
    return (clientError, serverError)
  }

  /// Carries the server's ciphertext to the client and returns the plaintext.
  mutating func clientReads(step: Int = 16384) throws(TLSError) -> (bytes: [UInt8], isClosed: Bool) {
    // What came along with the handshake.
    var (all, isClosed) = try client.readAvailable(step: step)
    for piece in pieces(server.drain()) {
      client.receiveCiphertext(piece.span)
      let read = try client.readAvailable(step: step)
      all += read.bytes
      isClosed = read.isClosed
    }
    return (all, isClosed)
  }

  /// Carries the client's ciphertext to the server and returns the plaintext.
  mutating func serverReads(step: Int = 16384) throws(TLSError) -> (bytes: [UInt8], isClosed: Bool) {
    // What came along with the handshake.
    var (all, isClosed) = try server.readAvailable(step: step)
    for piece in pieces(client.drain()) {
      server.receiveCiphertext(piece.span)
      let read = try server.readAvailable(step: step)
      all += read.bytes
      isClosed = read.isClosed
    }
    return (all, isClosed)
  }
}

/// Certificates and settings that the tests share.
struct TLSFixture: Sendable {
  let authority: GeneratedIdentity
  let server: GeneratedIdentity

  init(
    dnsNames: [String] = ["example.test"], ipAddresses: [String] = [], validity: CertificateValidity = .current
  ) throws(TLSError) {
    authority = try CertificateFactory.authority()
    server = try CertificateFactory.server(
      dnsNames: dnsNames, ipAddresses: ipAddresses, validity: validity, issuer: authority)
  }

  var clientSettings: TLSSettings {
    var settings = TLSSettings()
    settings.trust = .only([authority.trust])
    return settings
  }

  var serverSettings: TLSSettings {
    var settings = TLSSettings()
    settings.identity = server.identity
    return settings
  }

  func pair(
    name: TLSServerName = .dns("example.test"), cut: Cut = .whole, seed: UInt64 = 1,
    client changeClient: (inout TLSSettings) -> Void = { _ in },
    server changeServer: (inout TLSSettings) -> Void = { _ in }
  ) throws(TLSError) -> TLSPair {
    var clientSettings = clientSettings
    var serverSettings = serverSettings
    changeClient(&clientSettings)
    changeServer(&serverSettings)
    return try TLSPair(
      client: TLSContext(clientSettings, role: .client), server: TLSContext(serverSettings, role: .server), name: name,
      cut: cut, seed: seed)
  }
}
