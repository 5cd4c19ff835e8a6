internal import LinnetBytes

/// One header or trailer line as it was on the wire.
public struct HeaderLine: Sendable, Hashable, CustomStringConvertible {
  /// The name with the spelling of the sender.
  public var name: String
  /// The value without surrounding white space.
  public var value: String

  /// A header line.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// `Name: value`.
  public var description: String { "\(name): \(value)" }
}

extension [HeaderLine] {
  /// The values of all lines with this name, compared without case, in order.
  public func values(for name: String) -> [String] {
    filter { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }.map(\.value)
  }

  /// The value of the first line with this name, compared without case.
  public subscript(_ name: String) -> String? {
    first { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }?.value
  }
}

/// The body of a request as the server received it.
public struct RecordedBody: Sendable, Hashable {
  /// The number of bytes, without chunk framing.
  public internal(set) var count: UInt64 = 0
  /// The bytes, or nil when there were more than ``ScriptedServer/Options/keptBodyBytes``.
  public internal(set) var bytes: [UInt8]? = []
  /// SHA-256 of the body in hexadecimal digits.
  public internal(set) var sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  /// Whether every byte is what ``TestPattern`` has at its offset; true for an empty body.
  public internal(set) var matchesTestPattern = true
  /// The sizes of the chunks when the body was chunked, at most the first 1,000 of them.
  public internal(set) var chunkSizes: [UInt64] = []

  /// The body as UTF-8; the empty string when it was too large to keep.
  public var text: String { String(decoding: bytes ?? [], as: UTF8.self) }
}

/// A request as it was on the wire, recorded by ``ScriptedServer``.
public struct RecordedRequest: Sendable, Hashable {
  /// The method as sent.
  public internal(set) var method: String
  /// The exact bytes of the request target; over HTTP/2 those of `:path`.
  public internal(set) var targetBytes: [UInt8]
  /// The major version: 1 or 2.
  public internal(set) var majorVersion = 1
  /// The minor version of `HTTP/1.x`; 0 over HTTP/2.
  public internal(set) var minorVersion: Int
  /// The header lines in order, repeats kept; over HTTP/2 without the pseudo-fields.
  public internal(set) var headers: [HeaderLine]
  /// The exact bytes of the head, from the method to the empty line; empty over HTTP/2, which compresses it.
  public internal(set) var headBytes: [UInt8]
  /// The body; still empty in what a decision on the head sees.
  public internal(set) var body = RecordedBody()
  /// The trailer lines of a chunked body.
  public internal(set) var trailers: [HeaderLine] = []
  /// Whether the request was received to its end.
  public internal(set) var isComplete = false
  /// The number of its connection, from 1 on in the order of acceptance.
  public internal(set) var connection: Int
  /// Its position on its connection, from 1 on.
  public internal(set) var indexOnConnection: Int
  /// What only a request over HTTP/2 has; nil over HTTP/1.
  public internal(set) var http2: RecordedHTTP2?
  /// What the TLS handshake of its connection agreed on; nil for clear text.
  public internal(set) var tls: RecordedTLS?

  /// The request target as text.
  public var target: String { String(decoding: targetBytes, as: UTF8.self) }
  /// The request target up to the query.
  public var path: String { String(target.prefix { $0 != "?" }) }
  /// The host and port that the request names: the `Host` line, or `:authority` over HTTP/2.
  public var authority: String? { http2?.authority ?? headers["Host"] }
}

/// The parts of a request that only HTTP/2 has.
public struct RecordedHTTP2: Sendable, Hashable {
  /// The identifier of its stream.
  public internal(set) var stream: UInt32
  /// `:scheme`; nil for CONNECT.
  public internal(set) var scheme: String?
  /// `:authority`.
  public internal(set) var authority: String
}

/// What a server knows about the TLS side of a connection.
public struct RecordedTLS: Sendable, Hashable {
  /// The name in the client's SNI extension; nil when it sent none (as for an IP address, RFC 6066 §3).
  public internal(set) var serverName: String?
  /// The protocol chosen by ALPN, or nil.
  public internal(set) var applicationProtocol: String?
  /// The protocol version, such as `TLSv1.3`.
  public internal(set) var version: String
  /// Whether the handshake resumed an earlier session.
  public internal(set) var isResumed: Bool
  /// The subject of the client's certificate, or nil.
  public internal(set) var clientCertificateSubject: String?
}
