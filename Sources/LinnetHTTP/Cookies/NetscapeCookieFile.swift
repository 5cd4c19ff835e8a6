internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// The cookie file of Netscape, which curl (`-b`, `-c`), wget and browser extensions read and write: one cookie a line, seven
/// fields with tabs between them.
///
/// ```
/// .example.com	TRUE	/	TRUE	1893456000	session	abc
/// ```
///
/// The fields are the domain, whether names below it get the cookie too, the path, whether it is for TLS only, the expiry in
/// seconds since 1970 (0 for a session cookie), the name, and the value. `#HttpOnly_` before the domain marks an HTTP-only
/// cookie; other lines that begin with `#`, and empty ones, mean nothing. `SameSite` has no place in it.
public struct NetscapeCookieFile: Sendable, Hashable {
  /// The cookies of the lines that make sense, in their order.
  public var cookies: [Cookie]
  /// The other lines.
  public var problems: [Problem] = []

  /// A line that is no cookie. It has nothing of the line in it.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1 on.
    public let line: Int
    /// What is wrong, in words, as it stands inside a sentence.
    public let reason: String

    /// `line N: reason`.
    public var description: String { "line \(line): \(reason)" }
  }

  /// The most bytes that a file is read with: 3,000 of the largest cookies fit.
  package static var maximumBytes: Int { 32 << 20 }
  /// The most problems that are listed: a file of another kind has one in each line.
  private static var maximumProblems: Int { 100 }

  /// A file with these cookies.
  public init(_ cookies: [Cookie]) { self.cookies = cookies }

  /// Reads a file. Lines may end with CRLF. A line that is no cookie is left out and named in ``problems``, at most 100 of
  /// them; the others count.
  public init(parsing bytes: [UInt8]) { self.init(parsing: bytes, refusing: nil) }

  /// - Parameter suffixes: Cookies for these domains and all below them are problems too.
  init(parsing bytes: [UInt8], refusing suffixes: PublicSuffixes?) {
    cookies = []
    var number = 0
    for line in bytes.split(separator: ASCII.lf, omittingEmptySubsequences: false) {
      number += 1
      switch Self.parse(line.last == ASCII.cr ? line.dropLast() : line) {
      case .success(nil): break
      case .success(let cookie?):
        if !cookie.isHostOnly, suffixes?.contains(cookie.domain) == true {
          add(Problem(line: number, reason: "the domain is one that unrelated sites share"))
        } else {
          cookies.append(cookie)
        }
      case .failure(let problem): add(Problem(line: number, reason: problem.reason))
      }
    }
  }

  private mutating func add(_ problem: Problem) {
    if problems.count < Self.maximumProblems { problems.append(problem) }
  }

  private struct BadLine: Error { let reason: String }

  /// Nil for a line without a cookie.
  private static func parse(_ text: ArraySlice<UInt8>) -> Result<Cookie?, BadLine> {
    var text = text
    let mark = "#HttpOnly_".utf8
    let isHTTPOnly = text.starts(with: mark)
    if isHTTPOnly { text = text.dropFirst(mark.count) }
    if text.first == UInt8(ascii: "#") || text.allSatisfy(ASCII.isWhitespace) { return .success(nil) }
    var fields = text.split(separator: ASCII.tab, omittingEmptySubsequences: false)
    // Editors drop the tab before a value that is empty.
    if fields.count == 6 { fields.append([]) }
    guard fields.count == 7 else { return .failure(BadLine(reason: "\(fields.count) fields instead of 7")) }
    guard let includesSubdomains = flag(fields[1]) else {
      return .failure(BadLine(reason: "the second field is neither TRUE nor FALSE"))
    }
    guard let isSecure = flag(fields[3]) else {
      return .failure(BadLine(reason: "the fourth field is neither TRUE nor FALSE"))
    }
    guard let seconds = Int64(String(decoding: fields[4].isEmpty ? [0x30] : fields[4], as: UTF8.self)) else {
      return .failure(BadLine(reason: "the expiry is no number"))
    }
    var cookie = Cookie(name: "", value: "", domain: String(decoding: fields[0], as: UTF8.self))
    cookie.isHostOnly = !includesSubdomains
    cookie.record.identity.path = Array(fields[2])
    cookie.isSecure = isSecure
    cookie.expires = seconds == 0 ? nil : HTTPDate(secondsSince1970: seconds)
    cookie.record.identity.name = Array(fields[5])
    cookie.record.value = Array(fields[6])
    cookie.isHTTPOnly = isHTTPOnly
    do throws(CookieError) {
      return .success(Cookie(try cookie.checked()))
    } catch {
      return .failure(BadLine(reason: error.description))
    }
  }

  private static func flag(_ text: ArraySlice<UInt8>) -> Bool? {
    if ASCII.equalIgnoringCase(text, "true".utf8) { return true }
    return ASCII.equalIgnoringCase(text, "false".utf8) ? false : nil
  }

  /// The file. Cookies with a tab in them are left out, because the format has no way to write one.
  public func serialised() -> [UInt8] {
    var output = Array("# Netscape HTTP Cookie File\n# Lines are cookies; who has them can act as you.\n\n".utf8)
    for cookie in cookies { Self.append(cookie.record, to: &output) }
    return output
  }

  private static func append(_ record: CookieRecord, to output: inout [UInt8]) {
    let identity = record.identity
    if [identity.name, identity.path, record.value].contains(where: { $0.contains(ASCII.tab) }) { return }
    if record.isHTTPOnly { output.append(contentsOf: "#HttpOnly_".utf8) }
    if !identity.isHostOnly { output.append(UInt8(ascii: ".")) }
    let fields: [[UInt8]] = [
      Array(identity.domain.utf8), Array((identity.isHostOnly ? "FALSE" : "TRUE").utf8), identity.path,
      Array((record.isSecure ? "TRUE" : "FALSE").utf8), Array("\(record.expires?.secondsSince1970 ?? 0)".utf8),
      identity.name, record.value,
    ]
    output.append(contentsOf: fields.joined(separator: [ASCII.tab]))
    output.append(ASCII.lf)
  }
}

extension NetscapeCookieFile: CustomReflectable {
  /// Nothing: cookies are credentials.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
