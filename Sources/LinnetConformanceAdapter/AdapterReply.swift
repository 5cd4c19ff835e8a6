import FoundationEssentials
import LinnetHTTP

/// One reply of the adapter protocol. Everything but the id may be missing: an error carries what was known by then.
struct AdapterReply: Encodable {
  struct Failure: Encodable {
    var kind: String
    var message: String
  }

  struct Interim: Encodable {
    let status: Int
    let headers: [[String]]

    init(_ head: ResponseHead) {
      status = head.status.code
      headers = Latin1.fields(of: head.headers)
    }

    func encode(to encoder: any Encoder) throws {
      var pair = encoder.unkeyedContainer()
      try pair.encode(status)
      try pair.encode(headers)
    }
  }

  let id: Int
  var status: Int?
  var reason: String?
  var version: String?
  var headers: [[String]]?
  var body: [UInt8]?
  var trailers: [[String]]?
  var interim: [Interim] = []
  var url: String?
  var error: Failure?

  init(id: Int) { self.id = id }

  mutating func take(_ response: HTTPResponse) {
    status = response.status.code
    reason = response.head.reason
    version = response.version.description
    headers = Latin1.fields(of: response.headers)
    url = response.url.description
  }

  private enum CodingKeys: String, CodingKey {
    case id, status, reason, version, headers, trailers, interim, url, error
    case body = "body_b64"
    case isFromCache = "from_cache"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(id, forKey: .id)
    try fields.encodeIfPresent(status, forKey: .status)
    try fields.encodeIfPresent(reason, forKey: .reason)
    try fields.encodeIfPresent(version, forKey: .version)
    try fields.encodeIfPresent(headers, forKey: .headers)
    try fields.encodeIfPresent(body.map { Data($0).base64EncodedString() }, forKey: .body)
    try fields.encodeIfPresent(trailers, forKey: .trailers)
    try fields.encode(interim, forKey: .interim)
    try fields.encodeIfPresent(url, forKey: .url)
    try fields.encode(false, forKey: .isFromCache)
    try fields.encodeIfPresent(error, forKey: .error)
  }
}
