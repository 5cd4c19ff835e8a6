internal import LinnetBytes
internal import LinnetHTTPTypes

/// Connect to one host and port in place of another, as `curl --connect-to`. The Host header, SNI and the certificate check
/// keep the URL's name.
public struct ConnectOverride: Sendable, Hashable {
  /// The host of the URLs that it is for; nil for every host. Compared without case; an IPv6 address stands without brackets.
  public var host: String?
  /// The port of the URLs that it is for; nil for every port.
  public var port: UInt16?
  /// The host to connect to: a name or an IP address; nil for the URL's.
  public var targetHost: String?
  /// The port to connect to; nil for the URL's.
  public var targetPort: UInt16?

  /// An override from its parts.
  public init(
    host: String? = nil, port: UInt16? = nil, targetHost: String? = nil, targetPort: UInt16? = nil
  ) {
    self.host = host
    self.port = port
    self.targetHost = targetHost
    self.targetPort = targetPort
  }

  /// An override as curl writes it: `HOST1:PORT1:HOST2:PORT2`, each part of which may be empty. IPv6 addresses stand in
  /// brackets.
  ///
  /// - Throws: ``ConnectOverrideError`` when there are not four parts, or one of them is no host or port.
  public init(_ text: String) throws(ConnectOverrideError) {
    let parts = try Self.parts(of: text)
    host = try Self.host(parts[0], in: text)
    port = try Self.port(parts[1], in: text)
    targetHost = try Self.host(parts[2], in: text)
    targetPort = try Self.port(parts[3], in: text)
  }

  /// The four parts, cut at colons outside of brackets.
  private static func parts(of text: String) throws(ConnectOverrideError) -> [[UInt8]] {
    var parts: [[UInt8]] = [[]]
    var isInBrackets = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "["): isInBrackets = true
      case UInt8(ascii: "]"): isInBrackets = false
      case UInt8(ascii: ":") where !isInBrackets:
        parts.append([])
        continue
      default: break
      }
      parts[parts.count - 1].append(byte)
    }
    guard parts.count == 4 else { throw ConnectOverrideError(text: text, reason: .wrongNumberOfParts(parts.count)) }
    return parts
  }

  private static func host(_ part: [UInt8], in text: String) throws(ConnectOverrideError) -> String? {
    guard !part.isEmpty else { return nil }
    let name = String(decoding: part, as: UTF8.self)
    do throws(HTTPURLError) {
      return try Origin(scheme: .http, host: name).host
    } catch {
      throw ConnectOverrideError(text: text, reason: .invalidHost(name))
    }
  }

  private static func port(_ part: [UInt8], in text: String) throws(ConnectOverrideError) -> UInt16? {
    guard !part.isEmpty else { return nil }
    let digits = String(decoding: part, as: UTF8.self)
    guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits), port > 0
    else { throw ConnectOverrideError(text: text, reason: .invalidPort(digits)) }
    return port
  }

  func matches(_ origin: Origin) -> Bool {
    (port ?? origin.port) == origin.port
      && (host.map { ASCII.equalIgnoringCase($0.utf8, origin.host.utf8) } ?? true)
  }

  /// Where it leads from an origin that it matches; nil when that is the origin itself.
  func target(for origin: Origin) -> ConnectTarget? {
    let port = targetPort ?? origin.port
    guard targetHost != nil || port != origin.port else { return nil }
    return .host(targetHost ?? origin.host, port: Int(port))
  }
}

extension ConnectOverride: CustomStringConvertible {
  /// `HOST1:PORT1:HOST2:PORT2`.
  public var description: String {
    func text(_ host: String?) -> String {
      guard let host else { return "" }
      return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
    return "\(text(host)):\(port.map { "\($0)" } ?? ""):\(text(targetHost)):\(targetPort.map { "\($0)" } ?? "")"
  }
}

/// Why a text is no ``ConnectOverride``.
public struct ConnectOverrideError: Error, Sendable, Hashable {
  /// What is wrong with it.
  public enum Reason: Sendable, Hashable {
    /// It has this many parts in place of four.
    case wrongNumberOfParts(Int)
    /// This part is no host.
    case invalidHost(String)
    /// This part is no port from 1 to 65535.
    case invalidPort(String)
  }

  /// The text.
  public let text: String
  /// What is wrong.
  public let reason: Reason
}

extension ConnectOverrideError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let problem =
      switch reason {
      case .wrongNumberOfParts: "it must be HOST1:PORT1:HOST2:PORT2"
      case .invalidHost(let host): "\"\(host)\" is no host"
      case .invalidPort(let port): "\"\(port)\" is no port"
      }
    return "\"\(text)\" is no place to connect to: \(problem)".replacingLineBreaks()
  }
}
