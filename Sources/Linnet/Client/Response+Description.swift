internal import LinnetHTTP

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line with the status, the size of the body, the request without secrets, the attempt and the time; neither values
  /// of header fields nor content, so a response may be logged.
  public var description: String {
    var text = "\(ErrorLine.status(statusCode)), "
    text += kind == .headersOnly ? "head only" : "\(data.count) bytes"
    if request != nil { text += ", \(ErrorLine.request(of: self))" }
    return text + " [attempt \(attempts), \(ErrorLine.duration(elapsed))]"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What ``description`` has, and the names of the header fields.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "statusCode": statusCode, "data": "\(data.count) bytes", "request": request.map { "\($0)" } ?? "none",
        "headers": "[\(headers.map(\.name).joined(separator: ", "))]", "attempts": attempts, "elapsed": elapsed,
      ], displayStyle: .struct)
  }
}
