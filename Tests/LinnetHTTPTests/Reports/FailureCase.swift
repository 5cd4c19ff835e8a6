import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// One way in which a request fails, and what its error must say.
struct FailureCase: Sendable, CustomTestStringConvertible {
  /// Where the request goes.
  enum Destination: Sendable, Hashable {
    /// The server of the case.
    case server
    /// A port that refuses connections.
    case closedPort
    /// A name at the server's port.
    case host(String)
  }

  /// What must have happened before the clock moves.
  enum Moment: Sendable, Hashable {
    /// This many things wait with deadlines.
    case timersArmed(Int)
    /// The server has the request's head.
    case headSent
    /// The client has the response's head.
    case responded
  }

  private let name: String
  var testDescription: String { version.isHTTP2 ? "\(name), HTTP/2" : name }
  let code: TransportError.Code
  let phase: TransportError.Phase
  /// Nil when it depends on who is faster.
  let sent: TransportError.SentState?
  /// What the reason must say.
  let words: String
  var destination = Destination.server
  var isHTTPS = false
  /// The version in cleartext; over TLS what ``isHTTPS`` makes of it.
  var version = WireProtocol.http1
  var script = ServerScript.steps([.readRequest, .stall])
  var options: @Sendable (inout ScriptedServer.Options, TestCertificates) throws -> Void = { _, _ in }
  var configure: @Sendable (inout HTTPClientConfiguration, TestCertificates) throws -> Void = { _, _ in }
  var change: @Sendable (inout HTTPRequest) -> Void = { _ in }
  /// When time passes for the client, on a clock of the case's own; nil for cases in which no timeout is due.
  var timePasses: Moment?
  /// The request never got as far as a first attempt.
  var isUnprepared = false
  /// The error names the address of the server.
  var namesPeer = true

  init(
    _ name: String, _ code: TransportError.Code, _ phase: TransportError.Phase, _ sent: TransportError.SentState?,
    _ words: String, change: (inout FailureCase) -> Void = { _ in }
  ) {
    self.name = name
    self.code = code
    self.phase = phase
    self.sent = sent
    self.words = words
    change(&self)
  }

  /// A case in which the server reads the request and does this.
  fileprivate init(
    _ name: String, _ code: TransportError.Code, _ phase: TransportError.Phase, _ words: String,
    _ effects: SocketEffect...
  ) {
    self.init(name, code, phase, .all, words) { $0.script = .steps([.readRequest] + effects) }
  }

  /// A case whose server presents the certificate.
  fileprivate init(
    _ name: String, _ code: TransportError.Code, _ words: String,
    tls: @escaping @Sendable (TestCertificates) throws -> ServerTLS,
    configure: @escaping @Sendable (inout HTTPClientConfiguration, TestCertificates) throws -> Void = { _, _ in }
  ) {
    self.init(name, code, .tls, .nothing, words) {
      $0.isHTTPS = true
      $0.options = { $0.tls = try tls($1) }
      $0.configure = configure
    }
  }

  static let all = request + connecting + tls + sending + head + body + decode + overHTTP2

  /// The same over HTTP/2.
  var overHTTP2: FailureCase {
    var copy = self
    copy.version = .http2
    return copy
  }
}

extension FailureCase {
  static let request: [FailureCase] = [
    FailureCase("unsupported scheme", .unsupportedScheme, .request, .nothing, "ftp") {
      $0.change = { $0.url = "ftp://user:secret@127.0.0.1/" }
      $0.isUnprepared = true
      $0.namesPeer = false
    },
    FailureCase("a line break in a header", .invalidRequest, .request, .nothing, "control byte 13") {
      $0.change = { $0.headers.add("X-A", "a\r\nb") }
      $0.isUnprepared = true
      $0.namesPeer = false
    },
    FailureCase("a wrong Content-Length", .invalidRequest, .request, .nothing, "contradict its body") {
      $0.change = {
        $0.body = .text("12345")
        $0.headers.add("Content-Length", "3")
      }
      $0.namesPeer = false
    },
    FailureCase("a body file that is missing", .requestBodyFailed, .request, .nothing, "no such file or directory") {
      $0.change = { $0.body = .file("/nonexistent/body") }
      $0.namesPeer = false
    },
    FailureCase("a certificate file that is missing", .trustRootsUnavailable, .request, .nothing, "/nonexistent/ca.pem")
    {
      $0.isHTTPS = true
      $0.configure = { configuration, _ in configuration.tls.trustRoots = .only([.file("/nonexistent/ca.pem")]) }
      $0.namesPeer = false
    },
    FailureCase("a Unix socket path that is too long", .invalidConfiguration, .request, .nothing, "at most 107 fit") {
      $0.change = { $0.options.connectTarget = .unixSocket("/" + String(repeating: "x", count: 108)) }
      $0.namesPeer = false
    },
  ]

  static let connecting: [FailureCase] = [
    FailureCase("an unknown host", .hostNotFound, .resolve, .nothing, "missing.test: no such host") {
      $0.destination = .host("missing.test")
      $0.namesPeer = false
    },
    FailureCase("a name service that fails", .resolutionFailed, .resolve, .nothing, "temporary failure") {
      $0.destination = .host("broken.test")
      $0.namesPeer = false
    },
    FailureCase("a closed port", .connectionRefused, .connect, .nothing, "connection refused") {
      $0.destination = .closedPort
    },
    FailureCase("a silent port", .connectTimeout, .connect, .nothing, "within 50 ms") {
      $0.options = { options, _ in
        options.acceptance = .nothingWithFullBacklog
        options.acceptBacklog = 1
      }
      $0.configure = { configuration, _ in
        configuration.timeouts = TimeoutConfiguration(connect: .milliseconds(50), connectionWait: nil)
      }
      $0.timePasses = .timersArmed(1)
    },
    FailureCase("a port that is silent after connecting", .connectTimeout, .tls, .nothing, "not done in time") {
      $0.isHTTPS = true
      $0.options = { options, _ in options.acceptance = .nothing }
      $0.configure = { configuration, _ in
        configuration.timeouts = TimeoutConfiguration(connect: .milliseconds(50), connectionWait: nil)
      }
      $0.timePasses = .timersArmed(1)
    },
    FailureCase(
      "a name service that is slower than the total timeout", .totalTimeout, .resolve, .nothing, "no connection"
    ) {
      $0.destination = .host("slow.test")
      $0.configure = { configuration, _ in configuration.timeouts.total = .milliseconds(50) }
      // The request's own wait, and the step of the dial.
      $0.timePasses = .timersArmed(2)
      $0.namesPeer = false
    },
    FailureCase("a silent port and a total timeout", .totalTimeout, .connect, .nothing, "no connection to") {
      $0.options = { options, _ in
        options.acceptance = .nothingWithFullBacklog
        options.acceptBacklog = 1
      }
      $0.configure = { configuration, _ in configuration.timeouts.total = .milliseconds(50) }
      // The request's own wait, and the step of the dial.
      $0.timePasses = .timersArmed(2)
    },
    FailureCase("a silent handshake and a total timeout", .totalTimeout, .tls, .nothing, "no connection to") {
      $0.isHTTPS = true
      $0.options = { options, _ in options.acceptance = .nothing }
      $0.configure = { configuration, _ in configuration.timeouts.total = .milliseconds(50) }
      // The request's own wait, and the step of the dial.
      $0.timePasses = .timersArmed(2)
    },
  ]

  static let tls: [FailureCase] = [
    FailureCase(
      "an unknown issuer", .certificateRejected, "issuer is not trusted", tls: { ServerTLS(try $0.loopback()) }
    ) {
      configuration, _ in
      let other = try TestCertificates(commonName: "Another CA")
      configuration.tls.trustRoots = .only([.bytes(Array(other.authority.certificatePEM.utf8))])
    },
    FailureCase(
      "a self-signed certificate", .certificateRejected, "self-signed", tls: { ServerTLS(try $0.selfSigned()) }),
    FailureCase(
      "another host's certificate", .certificateRejected, "is for wrong.test", tls: { ServerTLS(try $0.wrongHost()) }),
    FailureCase(
      "an expired certificate", .certificateRejected, "has expired",
      tls: { ServerTLS(try $0.loopback(validity: .expired)) }),
    FailureCase(
      "no common version", .tlsHandshakeFailed, "protocol version",
      tls: { certificates in
        var tls = ServerTLS(try certificates.loopback())
        tls.minimumVersion = .v1_3
        return tls
      }
    ) { configuration, _ in configuration.tls.maximumVersion = .tls12 },
    FailureCase("plain HTTP on an https port", .tlsHandshakeFailed, .tls, .nothing, "spoke plain HTTP") {
      $0.isHTTPS = true
      $0.script = .steps([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .readUntilClosed])
    },
    FailureCase("a close in the handshake", .tlsHandshakeFailed, .tls, .nothing, "closed the connection during") {
      $0.isHTTPS = true
      $0.script = .steps([.halfClose, .readUntilClosed])
    },
    FailureCase("a reset in the handshake", .tlsHandshakeFailed, .tls, .nothing, "reset the connection") {
      $0.isHTTPS = true
      $0.script = .steps([.readBytes(1), .reset])
    },
    FailureCase("a client certificate that is missing", .tlsHandshakeFailed, .tls, nil, "certificate required") {
      $0.isHTTPS = true
      $0.options = { options, certificates in
        options.tls = ServerTLS(try certificates.loopback())
        options.tls?.clientAuthority = certificates.authority
      }
    },
  ]

  static let sending: [FailureCase] = [
    FailureCase("a reset while the body is sent", .connectionLost, .send, .maybe, "the connection") {
      $0.script = .steps([.readHead, .reset])
      $0.change = { $0.body = .bytes([UInt8](repeating: 1, count: 30_000_000)) }
    },
    FailureCase("a server that stops reading", .idleTimeout, .send, .maybe, "no bytes moved") {
      $0.timePasses = .headSent
      $0.script = .steps([.readHead, .stall])
      $0.change = {
        $0.body = .bytes([UInt8](repeating: 1, count: 30_000_000))
        $0.options.timeouts.idle = .after(.milliseconds(50))
      }
    },
    FailureCase("a body stream that fails", .requestBodyFailed, .send, .maybe, "the request's body stream failed") {
      $0.change = {
        $0.body = .stream {
          AsyncThrowingStream { continuation in
            continuation.yield(ByteChunk("part"))
            continuation.finish(throwing: StreamFailure())
          }
        }
      }
    },
    FailureCase("a body stream that is too short", .invalidRequest, .send, .maybe, "after 4 of 10") {
      $0.change = {
        $0.body = .stream(length: 10) {
          AsyncStream { continuation in
            continuation.yield(ByteChunk("part"))
            continuation.finish()
          }
        }
      }
    },
  ]

  struct StreamFailure: Error {}

  static let head: [FailureCase] = [
    FailureCase("no response", .emptyReply, .head, "closed the connection without a response", .close),
    FailureCase("a reset before the response", .connectionLost, .head, "reset the connection", .reset),
    FailureCase("a cut status line", .truncated, .head, "inside the response head", .send("HTTP/1.1 2"), .close),
    FailureCase(
      "a cut head", .truncated, .head, "inside the response head", .send("HTTP/1.1 200 OK\r\nServer: s\r\n"), .close),
    FailureCase(
      "a reset in the head", .connectionLost, .head, "reset the connection", .send("HTTP/1.1 200 OK\r\n"), .reset),
    FailureCase("no response in time", .headTimeout, .head, .all, "no response head came within its timeout of 50 ms") {
      $0.timePasses = .headSent
      $0.change = { $0.options.timeouts.responseHead = .after(.milliseconds(50)) }
    },
    FailureCase("no response before the total timeout", .totalTimeout, .head, .all, "total timeout of 50 ms") {
      $0.timePasses = .headSent
      $0.change = { $0.options.timeouts.total = .after(.milliseconds(50)) }
    },
    FailureCase("no HTTP", .invalidResponse, .head, "invalid status line", .send("SSH-2.0-OpenSSH_9.9\r\n"), .stall),
    FailureCase(
      "another HTTP version", .invalidResponse, .head, "version other than", .send("HTTP/2.0 200 OK\r\n\r\n"), .stall),
    FailureCase(
      "an upgrade that nobody asked for", .invalidResponse, .head, "switched protocols",
      .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), .stall),
    FailureCase(
      "a field line without a colon", .invalidResponse, .head, "without a colon",
      .send("HTTP/1.1 200 OK\r\nServer\r\n\r\n"), .stall),
    FailureCase(
      "differing lengths", .invalidResponse, .head, "differing Content-Length",
      .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), .stall),
    FailureCase(
      "an oversized head", .responseHeadTooLarge, .head, "bytes of header fields",
      .send("HTTP/1.1 200 OK\r\nX-Large: " + String(repeating: "x", count: 300_000)), .stall),
    FailureCase(
      "too many fields", .responseHeadTooLarge, .head, "fields",
      .send("HTTP/1.1 200 OK\r\n" + String(repeating: "a:b\r\n", count: 1100)), .stall),
  ]

  private static let length = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"
  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let body: [FailureCase] = [
    FailureCase("a cut body", .truncated, .body, "after 5 of 20 body bytes", .send(length + "12345"), .close),
    FailureCase("a reset in the body", .connectionLost, .body, "reset the connection", .send(length + "12345"), .reset),
    FailureCase(
      "cut chunks", .truncated, .body, "before the end of the chunked body", .send(chunked + "7\r\nFoo"), .close),
    FailureCase("a bad chunk size", .invalidResponse, .body, "invalid chunk size", .send(chunked + "xyz\r\n"), .stall),
    FailureCase(
      "a bad chunk end", .invalidResponse, .body, "chunk data without CRLF", .send(chunked + "1\r\nab\r\n"), .stall),
    FailureCase("an idle body", .idleTimeout, .body, .all, "no bytes moved") {
      $0.timePasses = .responded
      $0.script = .steps([.readRequest, .send(length + "12345"), .stall])
      $0.change = { $0.options.timeouts.idle = .after(.milliseconds(50)) }
    },
    FailureCase("a body slower than the total timeout", .totalTimeout, .body, .all, "total timeout of 50 ms") {
      $0.timePasses = .responded
      $0.script = .steps([.readRequest, .send(length + "12345"), .stall])
      $0.change = { $0.options.timeouts.total = .after(.milliseconds(50)) }
    },
    FailureCase("a body until close without close_notify", .truncated, .body, .all, "without a TLS close_notify") {
      $0.isHTTPS = true
      $0.options = { $0.tls = ServerTLS(try $1.loopback()) }
      $0.script = .steps([.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nhello"), .closeWithoutCloseNotify])
    },
  ]

  static let decode: [FailureCase] = [
    FailureCase("a body above the cap", .bodyTooLarge, .decode, .all, "cap of 10 bytes") {
      $0.script = .answer(length + "12345678901234567890")
      $0.change = { $0.options.maximumCollectedBytes = 10 }
    },
    FailureCase("a chunked body above the cap", .bodyTooLarge, .decode, .all, "cap of 10 bytes") {
      $0.script = .answer(chunked + "10\r\n1234567890123456\r\n0\r\n\r\n")
      $0.change = { $0.options.maximumCollectedBytes = 10 }
    },
    FailureCase("a body that is not what its coding says", .decodingFailed, .decode, .all, "gzip body is corrupt") {
      $0.script = .answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n1234567890")
    },
    FailureCase("a compressed stream that is cut", .decodingFailed, .decode, .all, "before its compressed stream") {
      $0.script = .handler { _ in
        let whole = ServerResponse.pattern(5000).compressed()
        let bytes = whole.body.parts.flatMap { part -> [UInt8] in if case .bytes(let bytes) = part { bytes } else { [] }
        }
        return ServerResponse(headers: whole.headers, body: ServerBody(bytes: bytes.dropLast(20)))
      }
    },
    FailureCase("a decompression bomb", .decompressionLimit, .decode, .all, "setting: maximumRatio") {
      $0.script = .handler { _ in ServerResponse(body: ServerBody([.zeros(20 << 20)])).compressed() }
    },
  ]
}
