internal import LinnetHTTPTypes

/// Where the fields that decide about framing, persistence and routing are, found in one pass over a head.
///
/// Every head is asked for all of them, and a look-up by name would hash the name and go over the fields each time; here
/// a field costs one comparison of its name's length.
struct FramingFields: Sendable, Hashable {
  /// The first Content-Length field.
  private(set) var contentLength: Int?
  private(set) var contentLengthCount = 0
  /// The first Transfer-Encoding field.
  private(set) var transferEncoding: Int?
  private(set) var transferEncodingCount = 0
  /// The first Connection field.
  private(set) var connection: Int?
  private(set) var hostCount = 0

  init(_ headers: HTTPHeaders) {
    var index = 0
    headers.forEachField { name, _ in
      switch name.count {
      case 4 where ByteScan.equals(name, ignoringCase: "host"):
        hostCount += 1
      case 10 where ByteScan.equals(name, ignoringCase: "connection"):
        connection = connection ?? index
      case 14 where ByteScan.equals(name, ignoringCase: "content-length"):
        contentLength = contentLength ?? index
        contentLengthCount += 1
      case 17 where ByteScan.equals(name, ignoringCase: "transfer-encoding"):
        transferEncoding = transferEncoding ?? index
        transferEncodingCount += 1
      default: break
      }
      index += 1
    }
  }
}
