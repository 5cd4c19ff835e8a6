import LinnetBytes

/// What kind of credential a secret is.
enum LeakKind: String, CaseIterable, Sendable {
  case authorizationField, cookieField, namedField, unknownField, markedField, referer
  case basic, bearer, digest, any, userinfo
  case body, clientDefault, clientCertificate, clientCredentials, netrc
  case hostCookie, domainCookie, secureCookie, proxy
  /// Passwords that are never sent themselves.
  case digestPassword
}

/// A request as an origin, or a proxy on the way, received it.
struct LeakSighting: Sendable {
  /// The client and chain that it belongs to; -1 for a CONNECT, which belongs to none.
  var client: Int
  var chain: Int
  var step: Int
  /// For whom it was meant; nil for a CONNECT.
  var origin: LeakOrigin?
  /// A proxy received it.
  var isAtProxy: Bool
}

/// A scheme, a host and a port.
struct LeakOrigin: Sendable, Hashable, CustomStringConvertible {
  var isSecure: Bool
  var host: String
  var port: UInt16

  var authority: String { "\(host):\(port)" }
  var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

/// A secret, and who may see it.
struct LeakSecret: Sendable {
  var kind: LeakKind
  /// For messages.
  var grant: String
  var mayBeSeen: @Sendable (LeakSighting) -> Bool
}

/// All secrets of a run and all places where one was seen. Each secret has a number, and its text is made from it, so that
/// every occurrence of every secret is found, whatever it stands in.
final class LeakLedger: Sendable {
  private struct State: Sendable {
    var secrets: [LeakSecret] = []
    var leaks: [String] = []
    var seen: [LeakKind: Int] = [:]
    var seenSecrets: Set<Int> = []
    var requests = 0
  }

  private let state = Lock(State())

  /// Registers a secret.
  ///
  /// - Returns: Its text, of letters and digits, so that no coding changes it.
  func add(
    _ kind: LeakKind, for grant: String, _ mayBeSeen: @escaping @Sendable (LeakSighting) -> Bool
  ) -> String {
    state.withLock { state in
      state.secrets.append(LeakSecret(kind: kind, grant: grant, mayBeSeen: mayBeSeen))
      return Self.text(state.secrets.count - 1)
    }
  }

  static func text(_ number: Int) -> String { "QzX\(number)XzQ" }

  /// The secrets that occur in bytes.
  static func numbers(in bytes: [UInt8]) -> [Int] {
    var numbers: [Int] = []
    let (start, end) = (Array("QzX".utf8), Array("XzQ".utf8))
    var index = 0
    while index + start.count < bytes.count {
      guard bytes[index] == start[0], bytes[index...].starts(with: start) else {
        index += 1
        continue
      }
      index += start.count
      let digits = bytes[index...].prefix { ASCII.digitValue($0) != nil }
      index += digits.count
      if bytes[index...].starts(with: end), let number = Int(String(decoding: digits, as: UTF8.self)) {
        numbers.append(number)
      }
    }
    return numbers
  }

  /// Notes what was received.
  func note(_ bytes: [UInt8], _ sighting: LeakSighting) {
    let numbers = Set(Self.numbers(in: bytes))
    state.withLock { state in
      state.requests += 1
      for number in numbers where state.secrets.indices.contains(number) {
        let secret = state.secrets[number]
        state.seen[secret.kind, default: 0] += 1
        state.seenSecrets.insert(number)
        if !secret.mayBeSeen(sighting) {
          state.leaks.append(
            "\(secret.kind) for \(secret.grant) at \(sighting.isAtProxy ? "the proxy for " : "")"
              + "\(sighting.origin?.description ?? "a CONNECT") (client \(sighting.client), chain \(sighting.chain), "
              + "step \(sighting.step)): \(String(decoding: bytes.prefix(1500), as: UTF8.self))")
        }
      }
    }
  }

  /// Notes something that must not happen, other than a leak.
  func fail(_ message: String) { state.withLock { $0.leaks.append(message) } }

  var leaks: [String] { state.withLock { $0.leaks } }
  var requests: Int { state.withLock { $0.requests } }
  func count(_ kind: LeakKind) -> Int { state.withLock { $0.seen[kind] ?? 0 } }
  func wasSeen(_ text: String) -> Bool {
    let numbers = Self.numbers(in: Array(text.utf8))
    return state.withLock { state in numbers.allSatisfy(state.seenSecrets.contains) }
  }
}
