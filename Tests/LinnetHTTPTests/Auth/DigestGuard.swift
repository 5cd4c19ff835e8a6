import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTLS
import LinnetTestSupport

/// A server's side of Digest, for tests: asks, checks answers with code of its own, and keeps what it saw.
final class DigestGuard: Sendable {
  /// What is wrong with the answers that came, if anything; each count that was used with each nonce.
  struct Record: Sendable {
    var faults: [String] = []
    var counts: [String: [UInt32]] = [:]
  }

  let user: String
  let password: String
  let algorithm: String
  let qop: String?
  /// How many times a nonce may be used; then it is stale.
  let usesPerNonce: Int
  private let state = Lock(State())

  private struct State: Sendable {
    var record = Record()
    var made = 0
    var uses: [String: Int] = [:]
  }

  init(
    user: String = "user", password: String = "passwd", algorithm: String = "MD5", qop: String? = "auth",
    usesPerNonce: Int = .max
  ) {
    self.user = user
    self.password = password
    self.algorithm = algorithm
    self.qop = qop
    self.usesPerNonce = usesPerNonce
  }

  var record: Record { state.withLock { $0.record } }

  /// `ok` for a right answer, else the question.
  func respond(to request: RecordedRequest) -> ServerResponse {
    guard let value = request.headers["Authorization"] else { return question() }
    switch check(value, request) {
    case .right: return .text("ok")
    case .stale: return question(isStale: true)
    case .wrong: return question()
    }
  }

  func question(isStale: Bool = false) -> ServerResponse {
    let nonce = state.withLock { state in
      state.made += 1
      let nonce = "nonce-\(state.made)"
      state.uses[nonce] = 0
      return nonce
    }
    var value = "Digest realm=\"guarded\", nonce=\"\(nonce)\", algorithm=\(algorithm), opaque=\"o\""
    if let qop { value += ", qop=\"\(qop)\"" }
    if isStale { value += ", stale=true" }
    return ServerResponse(401, headers: [HeaderLine("WWW-Authenticate", value)], body: "denied")
  }

  private enum Verdict { case right, stale, wrong }

  private func check(_ value: String, _ request: RecordedRequest) -> Verdict {
    let fields = AuthChallenge.all(in: ["X": value], field: "X").first
    func field(_ name: String) -> String { fields?.text(of: name) ?? "" }
    let nonce = field("nonce")
    var secret = hash("\(field("username")):guarded:\(password)")
    if algorithm.hasSuffix("-sess") { secret = hash("\(secret):\(nonce):\(field("cnonce"))") }
    var subject = "\(request.method):\(request.target)"
    if field("qop") == "auth-int" { subject += ":" + hash(request.body.text) }
    let middle = qop == nil ? nonce : [nonce, field("nc"), field("cnonce"), field("qop")].joined(separator: ":")
    return state.withLock { state in
      guard field("uri") == request.target, field("opaque") == "o", let uses = state.uses[nonce] else {
        state.record.faults.append("uri, opaque or nonce: \(value)")
        return .wrong
      }
      guard field("username") == user, field("response") == hash("\(secret):\(middle):\(hash(subject))") else {
        return .wrong
      }
      if qop != nil {
        let count = UInt32(field("nc"), radix: 16) ?? 0
        if state.record.counts[nonce, default: []].contains(count) { state.record.faults.append("count used twice") }
        state.record.counts[nonce, default: []].append(count)
      }
      guard uses < usesPerNonce else { return .stale }
      state.uses[nonce] = uses + 1
      return .right
    }
  }

  private func hash(_ text: String) -> String {
    let name: Digest.Algorithm =
      algorithm.hasPrefix("SHA-256") ? .sha256 : algorithm.hasPrefix("SHA-512-256") ? .sha512_256 : .md5
    let bytes = (try? Digest.hash(Array(text.utf8).span, with: name)) ?? []
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
