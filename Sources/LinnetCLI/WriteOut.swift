internal import LinnetHTTP

/// The `--write-out` format: text with `%{variables}` and escapes, as curl's.
package struct WriteOut {
  /// A run of the result and where it goes.
  package struct Part: Sendable, Equatable {
    package var isStandardError: Bool
    package var bytes: [UInt8]

    package init(isStandardError: Bool, text: String) {
      self.isStandardError = isStandardError
      bytes = Array(text.utf8)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    fileprivate mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
  }

  private let report: TransferReport
  private var parts: [Part] = []
  private var current = Part(isStandardError: false, text: "")
  private var unknown: [String] = []

  /// Fills in a format.
  ///
  /// - Returns: The parts in order, and the names of variables that do not exist.
  package static func format(_ template: Argument, _ report: TransferReport) -> (parts: [Part], unknown: [String]) {
    var writer = WriteOut(report: report)
    writer.run(template.bytes)
    writer.switchTo(standardError: false)
    return (writer.parts, writer.unknown)
  }

  private init(report: TransferReport) { self.report = report }

  private mutating func switchTo(standardError: Bool) {
    if !current.bytes.isEmpty { parts.append(current) }
    current = Part(isStandardError: standardError, text: "")
  }

  /// Text that is not UTF-8 comes out as it is.
  private mutating func run(_ template: [UInt8]) {
    var rest = template[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\") where !rest.isEmpty: escape(rest.removeFirst())
      case UInt8(ascii: "%") where rest.first == UInt8(ascii: "%"):
        rest.removeFirst()
        current.append("%")
      case UInt8(ascii: "%"):
        let isHeader = rest.starts(with: "header{".utf8)
        guard isHeader || rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          current.append("%")
          continue
        }
        let name = Argument(rest[..<end].dropFirst(isHeader ? 7 : 1)).text
        rest = rest[(end + 1)...]
        if isHeader {
          current.append(report.headers.value(for: name) ?? "")
        } else if !expand(name) {
          return
        }
      default: current.bytes.append(byte)
      }
    }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "n"): current.append("\n")
    case UInt8(ascii: "r"): current.append("\r")
    case UInt8(ascii: "t"): current.append("\t")
    default: current.bytes += [UInt8(ascii: "\\"), byte]
    }
  }

  /// Returns false when the rest of the format does not count.
  private mutating func expand(_ name: String) -> Bool {
    switch name {
    case "stderr": switchTo(standardError: true)
    case "stdout": switchTo(standardError: false)
    case "onerror": return report.exitCode != .success
    case "json": current.append(Self.json(report))
    case "header_json": current.append(Self.headerJSON(report.headers))
    default:
      if let value = Self.value(name, report) { current.append(value.text) } else { unknown.append(name) }
    }
    return true
  }

  // MARK: Variables

  private enum Value {
    case text(String)
    /// Digits that are a JSON number.
    case number(String)
    case code(Int)
    case seconds(Duration)

    var text: String {
      switch self {
      case .text(let text), .number(let text): text
      case .code(let code): String(repeating: "0", count: max(0, 3 - String(code).count)) + String(code)
      case .seconds(let duration): fixed(duration.inSeconds, digits: 6)
      }
    }

    var json: String {
      switch self {
      case .text(let text): WriteOut.quoted(text)
      case .number(let text): text
      case .code(let code): String(code)
      case .seconds: text
      }
    }
  }

  /// The names of all variables, in the order of `%{json}`.
  package static let names = [
    "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_connect", "http_version",
    "local_ip", "local_port", "method", "num_connects", "num_headers", "num_redirects", "num_retries",
    "proxy_ssl_verify_result", "proxy_used", "redirect_url", "referer", "remote_ip", "remote_port", "response_code",
    "scheme", "size_download", "size_header", "size_request", "size_upload", "speed_download", "speed_upload",
    "ssl_verify_result", "time_appconnect", "time_connect", "time_namelookup", "time_pretransfer", "time_redirect",
    "time_starttransfer", "time_total", "url", "url_effective", "urlnum",
  ]

  private static func value(_ name: String, _ report: TransferReport) -> Value? {
    text(name, report).map { .text($0) } ?? number(name, report).map { .number($0) } ?? code(name, report)
      ?? time(name, report).map { .seconds($0) }
  }

  private static func text(_ name: String, _ report: TransferReport) -> String? {
    switch name {
    case "http_version": report.version.isEmpty ? "0" : report.version
    case "content_type": report.headers.value(for: "Content-Type") ?? ""
    case "errormsg": report.errorMessage
    case "filename_effective": report.fileName ?? ""
    case "method": report.method
    case "scheme": report.scheme
    case "url": report.url
    case "url_effective": report.effectiveURL
    case "redirect_url": report.redirectURL
    case "referer": report.referer
    case "remote_ip": TransferReport.split(report.remoteAddress).host
    case "local_ip": TransferReport.split(report.localAddress).host
    default: nil
    }
  }

  private static func number(_ name: String, _ report: TransferReport) -> String? {
    switch name {
    case "exitcode": String(report.exitCode.rawValue)
    case "num_connects": String(report.connectionCount)
    case "num_headers": String(report.headers.count)
    case "num_redirects": String(report.redirectCount)
    case "num_retries": String(report.resendCount)
    case "proxy_used": report.usesProxy ? "1" : "0"
    // OpenSSL's number for "a reason that is not told"; everything else than a refusal is 0.
    case "ssl_verify_result": report.exitCode == .certificateRejected ? "1" : "0"
    case "proxy_ssl_verify_result": "0"
    case "remote_port": TransferReport.split(report.remoteAddress).port
    case "local_port": TransferReport.split(report.localAddress).port
    case "size_download": String(report.downloadedBytes)
    case "size_upload": String(report.uploadedBytes)
    case "size_header": String(report.headBytes)
    case "size_request": String(report.requestBytes)
    case "speed_download": speed(report.downloadedBytes, report)
    case "speed_upload": speed(report.uploadedBytes, report)
    case "urlnum": String(report.number)
    default: nil
    }
  }

  private static func code(_ name: String, _ report: TransferReport) -> Value? {
    switch name {
    case "http_code", "response_code": .code(report.responseCode)
    case "http_connect": .code(report.proxyStatus)
    default: nil
    }
  }

  private static func time(_ name: String, _ report: TransferReport) -> Duration? {
    switch name {
    case "time_namelookup": report.nameLookupTime
    case "time_connect": report.connectTime
    case "time_appconnect": report.handshakeTime
    case "time_pretransfer": report.requestTime
    case "time_starttransfer": report.startTransferTime
    case "time_redirect": report.redirectTime
    case "time_total": report.totalTime
    default: nil
    }
  }

  private static func speed(_ bytes: UInt64, _ report: TransferReport) -> String {
    let seconds = report.totalTime.inSeconds
    return seconds > 0 ? String(UInt64(min(Double(bytes) / seconds, 1e18))) : "0"
  }

  // MARK: JSON

  private static func json(_ report: TransferReport) -> String { "{\(members(report))}" }

  private static func members(_ report: TransferReport) -> String {
    names.map { "\(quoted($0)):\(value($0, report)?.json ?? "null")" }.joined(separator: ",")
  }

  /// What `--output-format json` tells of a transfer: the variables and the head's fields. It goes where logs are kept, so
  /// secrets are masked as those of `-v`.
  static func record(_ report: TransferReport, _ mask: SecretMask) -> String {
    var shown = report
    shown.url = mask.url(report.url)
    shown.effectiveURL = mask.url(report.effectiveURL)
    shown.redirectURL = mask.url(report.redirectURL)
    shown.referer = mask.url(report.referer)
    let fields = report.headers.map { (name: $0.name, value: mask.value(of: $0)) }
    return "{\(members(shown)),\"headers\":\(headerJSON(fields))}"
  }

  private static func headerJSON(_ headers: HTTPHeaders) -> String {
    headerJSON(headers.map { (name: $0.name, value: $0.value) })
  }

  /// Names in lower case with the list of their values, in the order in which they came first.
  private static func headerJSON(_ headers: [(name: String, value: String)]) -> String {
    var order: [String] = []
    var values: [String: [String]] = [:]
    for header in headers {
      let name = header.name.lowercased()
      if values[name] == nil { order.append(name) }
      values[name, default: []].append(quoted(header.value))
    }
    return "{\(order.map { "\(quoted($0)):[\((values[$0] ?? []).joined(separator: ","))]" }.joined(separator: ","))}"
  }

  /// A JSON string (RFC 8259 §7).
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Duration {
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
