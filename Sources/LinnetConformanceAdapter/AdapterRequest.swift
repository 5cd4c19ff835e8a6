import FoundationEssentials
import LinnetHTTP

/// One request of the adapter protocol, as it stands on a line.
struct AdapterRequest: Decodable {
  /// What a test demands of TLS.
  struct TLS: Decodable {
    var ca: String?
    var cert: String?
    var key: String?
    var verifyHost: String?
    var min: String?
    var pins: [String]

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      ca = try fields.decodeIfPresent(String.self, forKey: "ca")
      cert = try fields.decodeIfPresent(String.self, forKey: "cert")
      key = try fields.decodeIfPresent(String.self, forKey: "key")
      verifyHost = try fields.decodeIfPresent(String.self, forKey: "verify_host")
      min = try fields.decodeIfPresent(String.self, forKey: "min")
      pins = try fields.decodeIfPresent([String].self, forKey: "pins") ?? []
      try AdapterRequest.refuseOthers(than: ["ca", "cert", "key", "verify_host", "min", "pins"], in: fields)
    }
  }

  /// Credentials for the origin.
  struct Auth: Decodable {
    let credentials: HTTPCredentials

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      try AdapterRequest.refuseOthers(than: ["user", "password", "scheme"], in: fields)
      let user = try fields.decodeIfPresent(String.self, forKey: "user") ?? ""
      let password = try fields.decodeIfPresent(String.self, forKey: "password") ?? ""
      credentials =
        switch try fields.decodeIfPresent(String.self, forKey: "scheme") ?? "basic" {
        case "basic": .basic(user: user, password: password)
        case "digest": .digest(user: user, password: password)
        case "any": .any(user: user, password: password)
        case let scheme: throw Refusal.unsupported("auth \(scheme)")
        }
    }
  }

  /// A key of a JSON object: any text, so that keys that nobody knows show.
  struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
  }

  /// Why a line cannot be carried out.
  enum Refusal: Error {
    /// The client cannot do what this key or value asks for.
    case unsupported(String)
    /// The value of this key makes no request.
    case invalid(String)
  }

  let url: String
  let method: String
  let headers: [[String]]
  let body: [UInt8]?
  let followsRedirects: Bool
  let maximumRedirects: Int
  let decompress: Bool
  let httpVersion: HTTPVersionPolicy
  let tls: TLS?
  let auth: Auth?
  let proxy: String?
  let tunnelsHTTP: Bool
  let proxyHeaders: [[String]]
  let connectTo: String?
  let unix: String?
  let resolve: [String: String]
  /// Seconds for the whole exchange.
  let timeout: Double
  let maximumBody: Int?
  /// Whether the cookies of the process are used.
  let usesJar: Bool
  /// A cookie file that is read into them first.
  let cookieFile: [UInt8]?

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    try Self.refuseOthers(than: Self.supportedKeys, in: fields)
    httpVersion = try Self.policy(try fields.decodeIfPresent(String.self, forKey: "http") ?? "1.1")
    url = try fields.decode(String.self, forKey: "url")
    method = try fields.decodeIfPresent(String.self, forKey: "method") ?? "GET"
    headers = try fields.decodeIfPresent([[String]].self, forKey: "headers") ?? []
    body =
      try Self.bytes("body_b64", in: fields)
      ?? fields.decodeIfPresent(String.self, forKey: "body").map { Array($0.utf8) }
    followsRedirects = try Self.follows(try fields.decodeIfPresent(String.self, forKey: "redirect") ?? "manual")
    maximumRedirects = try fields.decodeIfPresent(Int.self, forKey: "max_redirects") ?? 20
    decompress = try fields.decodeIfPresent(Bool.self, forKey: "decompress") ?? false
    tls = try fields.decodeIfPresent(TLS.self, forKey: "tls")
    auth = try fields.decodeIfPresent(Auth.self, forKey: "auth")
    proxy = try fields.decodeIfPresent(String.self, forKey: "proxy")
    tunnelsHTTP = try fields.decodeIfPresent(Bool.self, forKey: "proxy_tunnel") ?? false
    proxyHeaders = try fields.decodeIfPresent([[String]].self, forKey: "proxy_headers") ?? []
    connectTo = try fields.decodeIfPresent(String.self, forKey: "connect_to")
    unix = try fields.decodeIfPresent(String.self, forKey: "unix")
    resolve = try fields.decodeIfPresent([String: String].self, forKey: "resolve") ?? [:]
    timeout = try fields.decodeIfPresent(Double.self, forKey: "timeout") ?? 10
    maximumBody = try fields.decodeIfPresent(Int.self, forKey: "max_body")
    usesJar = try fields.decodeIfPresent(Bool.self, forKey: "jar") ?? false
    cookieFile = try Self.bytes("cookies_file_b64", in: fields)
  }

  private static func bytes(_ key: Key, in fields: KeyedDecodingContainer<Key>) throws -> [UInt8]? {
    guard let encoded = try fields.decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let bytes = Data(base64Encoded: encoded) else { throw Refusal.invalid(key.stringValue) }
    return Array(bytes)
  }

  private static func policy(_ version: String) throws(Refusal) -> HTTPVersionPolicy {
    switch version {
    case "1.1": .http1Only
    case "2": .http2Only
    case "h2c": .http2PriorKnowledge
    case "auto": .automatic
    default: throw .unsupported("http \(version)")
    }
  }

  private static func follows(_ redirect: String) throws(Refusal) -> Bool {
    switch redirect {
    case "manual": false
    case "follow": true
    default: throw .unsupported("redirect \(redirect)")
    }
  }

  private static let supportedKeys: Set<String> = [
    "id", "method", "url", "headers", "body", "body_b64", "decompress", "http", "tls", "auth", "connect_to", "unix",
    "proxy", "proxy_tunnel", "proxy_headers", "resolve", "timeout", "max_body", "jar", "cookies_file_b64", "redirect",
    "max_redirects",
  ]

  /// Refuses every other key, unless its value is what the protocol has as default: then nothing is asked for.
  private static func refuseOthers(than supported: Set<String>, in fields: KeyedDecodingContainer<Key>) throws {
    for key in fields.allKeys where !supported.contains(key.stringValue) {
      if try fields.decodeNil(forKey: key) { continue }
      if let flag = try? fields.decode(Bool.self, forKey: key), !flag { continue }
      if let text = try? fields.decode(String.self, forKey: key) {
        if key.stringValue == "cache", text == "off" { continue }
      }
      throw Refusal.unsupported(key.stringValue)
    }
  }
}

/// The part of a line that tells which request a reply belongs to, also when the rest makes no sense.
struct AdapterRequestID: Decodable {
  let id: Int
}
