public import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP
internal import LinnetTLS

/// Signs requests with a shared secret: HMAC (RFC 2104) with a hash function of the SHA-2 family, in Base64.
///
/// Two headers are sent, by default `X-Signature` and `X-Signature-Key-Id`. With ``Coverage/body`` they prove only that
/// the sender of the body knew the secret: whoever sees the request can send the same body elsewhere, or again.
/// ``Coverage/canonicalRequest`` covers method, target, date and body.
public struct HMACRequestInterceptor: RequestSigner {
  /// The hash function.
  public enum Algorithm: Sendable, Hashable, CaseIterable {
    /// SHA-256, 32 bytes.
    case sha256
    /// SHA-384, 48 bytes.
    case sha384
    /// SHA-512, 64 bytes.
    case sha512
  }

  /// What the signature covers.
  public enum Coverage: Sendable, Hashable {
    /// The bytes of the body and nothing else; no bytes when there is none.
    case body
    /// Five lines joined by a line feed: the method; the path; the query, or nothing; the `Date` header, which is added
    /// when the request has none; and the digest of the body by the same hash function in lower-case hexadecimal. Path and
    /// query are those of the request line, escapes and order as they are sent.
    ///
    /// A server rebuilds the text, compares, and refuses dates that are too far from its own.
    case canonicalRequest
  }

  private let keyID: String
  private let secret: Data
  private let algorithm: Digest.Algorithm
  private let coverage: Coverage
  private let signatureHeaderName: String
  private let keyIDHeaderName: String
  private let now: @Sendable () -> Date

  /// A signer.
  ///
  /// - Parameters:
  ///   - keyID: The name under which the server knows the secret.
  ///   - secret: The shared secret.
  ///   - algorithm: The hash function. Default SHA-256.
  ///   - coverage: What is covered. Default ``Coverage/body``.
  ///   - signatureHeaderName: The header for the signature. Default `X-Signature`.
  ///   - keyIDHeaderName: The header for the key's name. Default `X-Signature-Key-Id`.
  ///   - now: The time for the `Date` header. Default the system's.
  public init(
    keyID: String, secret: Data, algorithm: Algorithm = .sha256, coverage: Coverage = .body,
    signatureHeaderName: String = "X-Signature", keyIDHeaderName: String = "X-Signature-Key-Id",
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.keyID = keyID
    self.secret = secret
    self.algorithm = algorithm.digest
    self.coverage = coverage
    self.signatureHeaderName = signatureHeaderName
    self.keyIDHeaderName = keyIDHeaderName
    self.now = now
  }

  /// The signature, the key's name and, with ``Coverage/canonicalRequest``, the date.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` for a URL that cannot be parsed; the error of the file that cannot
  ///   be read; the cryptographic library's when its policy forbids the hash function.
  public func signatureHeaders(for request: HTTPRequest, body: RequestBody) async throws -> HTTPHeaders {
    let bytes = try body.bytes()
    var headers = HTTPHeaders()
    let message: Data
    switch coverage {
    case .body: message = bytes
    case .canonicalRequest:
      let date = request.headers.value(for: "Date") ?? HTTPDate(now()).description
      headers.update("Date", date)
      message = Data(try canonicalRequest(request, date: date, body: bytes).utf8)
    }
    headers.update(HTTPHeader(name: signatureHeaderName, value: try signature(of: message), isSensitive: true))
    headers.update(keyIDHeaderName, keyID)
    return headers
  }

  private func signature(of message: Data) throws -> String {
    Base64.encode(try Digest.hmac(key: secret.span, message.span, with: algorithm))
  }

  private func canonicalRequest(_ request: HTTPRequest, date: String, body: Data) throws -> String {
    let url = try request.parsedURL()
    let digest = try Digest.hash(body.span, with: algorithm)
    return [request.method.rawValue, url.path, url.query ?? "", date, hexadecimal(digest)].joined(separator: "\n")
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = bytes.flatMap { [ASCII.lowercaseHexDigit($0 >> 4), ASCII.lowercaseHexDigit($0 & 15)] }
    return String(decoding: digits, as: UTF8.self)
  }
}

extension HMACRequestInterceptor.Algorithm {
  fileprivate var digest: Digest.Algorithm {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }
}

extension HTTPDate {
  /// The date rounded down to a second; a time that is none is the earliest date.
  fileprivate init(_ date: Date) {
    self.init(secondsSince1970: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? .min)
  }
}

extension RequestBody {
  /// The bytes that a signature covers. A file is mapped rather than read: it may be larger than memory.
  fileprivate func bytes() throws -> Data {
    switch self {
    case .none: Data()
    case .data(let data): data
    case .file(let url): try Data(contentsOf: url, options: .alwaysMapped)
    }
  }
}

extension HMACRequestInterceptor: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The key's name; never the secret.
  public var description: String { "HMACRequestInterceptor(keyID: \(keyID))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
