internal import LinnetHTTP

/// The `--write-out` format: text with `%{variables}` and escapes, as curl's.
package struct WriteOut {
  /// A run of the result and where it goes.
  package struct Part: Sendable, Equatable {
    package var isStandardError: Bool
    package var text: String

    package init(isStandardError: Bool, text: String) {
      self.isStandardError = isStandardError
      self.text = text
    }
  }

  private let report: TransferReport
  private var parts: [Part] = []
  private var current = Part(isStandardError: false, text: "")
  private var unknown: [String] = []

  /// Fills in a format.
  ///
  /// - Returns: The parts in order, and the names of variables that do not exist.
  package static func format(_ template: String, _ report: TransferReport) -> (parts: [Part], unknown: [String]) {
    var writer = WriteOut(report: report)
    writer.run(template)
    writer.switchTo(standardError: false)
    return (writer.parts, writer.unknown)
  }

  private init(report: TransferReport) { self.report = report }

  private mutating func switchTo(standardError: Bool) {
    if !current.text.isEmpty { parts.append(current) }
    current = Part(isStandardError: standardError, text: "")
  }

  private mutating func run(_ template: String) {
    var rest = template[...]
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("\\", let escape?):
        rest.removeFirst()
        switch escape {
        case "n": current.text.append("\n")
        case "r": current.text.append("\r")
        case "t": current.text.append("\t")
        default: current.text += "\\\(escape)"
        }
      case ("%", "%"):
        rest.removeFirst()
        current.text.append("%")
      case ("%", "{"):
        guard let end = rest.firstIndex(of: "}") else {
          current.text.append(character)
          continue
        }
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[rest.index(after: end)...]
        guard expand(name) else { return }
      case ("%", _) where rest.hasPrefix("header{"):
        guard let end = rest.firstIndex(of: "}") else {
          current.text.append(character)
          continue
        }
        let name = rest[rest.index(rest.startIndex, offsetBy: 7)..<end]
        current.text += report.headers.value(for: String(name)) ?? ""
        rest = rest[rest.index(after: end)...]
      default: current.text.append(character)
      }
    }
  }

  /// Returns false when the rest of the format does not count.
  private mutating func expand(_ name: String) -> Bool {
    switch name {
    case "stderr": switchTo(standardError: true)
    case "stdout": switchTo(standardError: false)
    case "onerror": return report.exitCode != .success
    case "json": current.text += Self.json(report)
    default:
      if let value = Self.value(name, report) { current.text += value.text } else { unknown.append(name) }
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
    "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_version", "local_ip", "local_port",
    "method", "num_connects", "num_headers", "remote_ip", "remote_port", "response_code", "scheme", "size_download",
    "size_upload", "speed_download", "speed_upload", "time_appconnect", "time_connect", "time_namelookup",
    "time_pretransfer", "time_starttransfer", "time_total", "url", "url_effective",
  ]

  private static func value(_ name: String, _ report: TransferReport) -> Value? {
    switch name {
    case "http_code", "response_code": .code(report.responseCode)
    case "http_version": .text(report.version.isEmpty ? "0" : report.version)
    case "content_type": .text(report.headers.value(for: "Content-Type") ?? "")
    case "errormsg": .text(report.errorMessage)
    case "exitcode": .number(String(report.exitCode.rawValue))
    case "filename_effective": .text(report.fileName ?? "")
    case "method": .text(report.method)
    case "scheme": .text(report.scheme)
    case "url": .text(report.url)
    case "url_effective": .text(report.effectiveURL)
    case "num_connects": .number(String(report.connectionCount))
    case "num_headers": .number(String(report.headers.count))
    case "remote_ip": .text(TransferReport.split(report.remoteAddress).host)
    case "remote_port": .number(TransferReport.split(report.remoteAddress).port)
    case "local_ip": .text(TransferReport.split(report.localAddress).host)
    case "local_port": .number(TransferReport.split(report.localAddress).port)
    case "size_download": .number(String(report.downloadedBytes))
    case "size_upload": .number(String(report.uploadedBytes))
    case "speed_download": .number(speed(report.downloadedBytes, report))
    case "speed_upload": .number(speed(report.uploadedBytes, report))
    default: time(name, report).map { .seconds($0) }
    }
  }

  private static func time(_ name: String, _ report: TransferReport) -> Duration? {
    switch name {
    case "time_namelookup": report.nameLookupTime
    case "time_connect": report.connectTime
    case "time_appconnect": report.handshakeTime
    case "time_pretransfer": report.requestTime
    case "time_starttransfer": report.startTransferTime
    case "time_total": report.totalTime
    default: nil
    }
  }

  private static func speed(_ bytes: UInt64, _ report: TransferReport) -> String {
    let seconds = report.totalTime.inSeconds
    return seconds > 0 ? String(UInt64(min(Double(bytes) / seconds, 1e18))) : "0"
  }

  // MARK: JSON

  private static func json(_ report: TransferReport) -> String {
    let members = names.map { "\(quoted($0)):\(value($0, report)?.json ?? "null")" }
    return "{\(members.joined(separator: ","))}"
  }

  /// A JSON string (RFC 8259 §7).
  fileprivate static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
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
