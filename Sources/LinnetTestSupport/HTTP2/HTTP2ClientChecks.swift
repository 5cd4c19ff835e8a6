// The rules for what a client sends that need nothing but the thing itself.

/// Rules of one frame (RFC 9113 §4.2, §6) and one field section (§8.2, §8.3), as texts of what is wrong.
enum HTTP2ClientChecks {
  /// What is wrong with the size and the stream of a frame.
  static func frame(_ frame: HTTP2Frame) -> String? {
    let size = frame.payload.count
    switch frame.kind {
    case .data, .headers, .continuation:
      if frame.stream == 0 { return "\(frame.kind) on stream 0" }
      if frame.content == nil { return "\(frame.kind) with more padding than bytes" }
    case .priority:
      if frame.stream == 0 || size != 5 { return "PRIORITY of \(size) bytes on stream \(frame.stream)" }
    case .rstStream:
      if frame.stream == 0 || size != 4 { return "RST_STREAM of \(size) bytes on stream \(frame.stream)" }
    case .settings: return settings(frame)
    case .pushPromise: return "PUSH_PROMISE of a client"
    case .ping:
      if frame.stream != 0 || size != 8 { return "PING of \(size) bytes on stream \(frame.stream)" }
    case .goAway:
      if frame.stream != 0 || size < 8 { return "GOAWAY of \(size) bytes on stream \(frame.stream)" }
    case .windowUpdate:
      if size != 4 { return "WINDOW_UPDATE of \(size) bytes" }
      if frame.increment == 0 { return "WINDOW_UPDATE with increment 0 on stream \(frame.stream)" }
    case .priorityUpdate:
      if frame.stream != 0 || size < 4 { return "PRIORITY_UPDATE of \(size) bytes on stream \(frame.stream)" }
    default: break
    }
    return nil
  }

  private static func settings(_ frame: HTTP2Frame) -> String? {
    let size = frame.payload.count
    if frame.stream != 0 { return "SETTINGS on stream \(frame.stream)" }
    if frame.isAck ? size != 0 : size % 6 != 0 { return "SETTINGS of \(size) bytes" }
    for setting in frame.settings {
      switch setting.id {
      case 0x2 where setting.value > 1, 0x4 where setting.value > 0x7FFF_FFFF,
        0x5 where !(16_384...16_777_215).contains(setting.value):
        return "SETTINGS with \(setting.id)=\(setting.value)"
      default: break
      }
    }
    return nil
  }

  private static let connectionSpecific: Set<String> = [
    "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade",
  ]

  private static let requestPseudoFields: Set<String> = [":method", ":scheme", ":authority", ":path", ":protocol"]

  /// What is wrong with a request's fields.
  static func head(_ fields: [HeaderLine]) -> [String] {
    var problems = section(fields)
    var seen: Set<String> = []
    var regularSeen = false
    for field in fields {
      guard field.name.first == ":" else {
        regularSeen = true
        continue
      }
      if regularSeen { problems.append("\(field.name) behind an ordinary field") }
      if !requestPseudoFields.contains(field.name) { problems.append("unknown pseudo-field \(field.name)") }
      if !seen.insert(field.name).inserted { problems.append("repeated \(field.name)") }
    }
    let isTunnel = fields[":method"] == "CONNECT" && !seen.contains(":protocol")
    let needed = isTunnel ? [":method", ":authority"] : [":method", ":scheme", ":path"]
    for name in needed where !seen.contains(name) { problems.append("missing \(name)") }
    if isTunnel && (seen.contains(":scheme") || seen.contains(":path")) {
      problems.append("CONNECT with :scheme or :path")
    }
    if !isTunnel && fields[":path"] == "" { problems.append("empty :path") }
    // RFC 9113 §8.3.1: the two must not differ.
    if let host = fields["host"], let authority = fields[":authority"], host != authority {
      problems.append("host \(host) differs from :authority \(authority)")
    }
    return problems
  }

  /// What is wrong with the fields of trailers.
  static func trailers(_ fields: [HeaderLine]) -> [String] {
    section(fields) + fields.filter { $0.name.first == ":" }.map { "\($0.name) in trailers" }
  }

  private static func section(_ fields: [HeaderLine]) -> [String] {
    fields.compactMap { field in
      let name = field.name.utf8
      if name.isEmpty { return "an empty field name" }
      if name.contains(where: { (0x41...0x5A).contains($0) }) { return "upper-case field name \(field.name)" }
      if name.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) || name.dropFirst().contains(0x3A) {
        return "invalid field name \(field.name)"
      }
      if field.value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) {
        return "invalid value of \(field.name)"
      }
      if let first = field.value.utf8.first, let last = field.value.utf8.last,
        [0x20, 0x09].contains(first) || [0x20, 0x09].contains(last)
      {
        return "white space around the value of \(field.name)"
      }
      if connectionSpecific.contains(field.name) { return "connection-specific field \(field.name)" }
      if field.name == "te" && field.value != "trailers" { return "te: \(field.value)" }
      return nil
    }
  }
}
