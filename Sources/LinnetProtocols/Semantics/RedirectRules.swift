internal import LinnetBytes
package import LinnetHTTPTypes

/// What a redirection asks for (RFC 9110 §15.4), and what may go along to another origin. Pure: the owner sends.
package enum RedirectRules {
  /// Redirections that are followed one after the other: 20, as in OkHttp, Chromium and the Fetch standard.
  package static var maximumHops: Int { 20 }

  /// A request to go on with.
  package struct Proposal: Sendable, Hashable {
    /// Where to.
    package var url: HTTPURL
    /// The method, which some redirections change.
    package var method: HTTPMethod
    /// Whether the body is sent again.
    package var keepsBody: Bool

    package init(url: HTTPURL, method: HTTPMethod, keepsBody: Bool) {
      self.url = url
      self.method = method
      self.keepsBody = keepsBody
    }
  }

  /// The request that a response asks for.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - headers: Its fields.
  ///   - method: The method of the request.
  ///   - url: The URL of the request; its fragment is inherited (§10.2.2).
  ///   - keepsPost: Whether 301, 302 and 303 repeat a POST as it was.
  /// - Returns: nil when the response is no redirection to follow: another status, no `Location`, or an empty one.
  /// - Throws: ``RedirectProblem``.
  package static func proposal(
    status: Int, headers: HTTPHeaders, method: HTTPMethod, url: HTTPURL, keepsPost: Bool = false
  ) throws(RedirectProblem) -> Proposal? {
    guard let (next, keepsBody) = request(after: status, method: method, keepsPost: keepsPost) else { return nil }
    guard let target = try target(of: headers, from: url) else { return nil }
    return Proposal(url: target, method: next, keepsBody: keepsBody)
  }

  /// Whether a response with this status may ask for another request; most do not, and need no look at their fields.
  package static func isRedirection(_ status: Int) -> Bool { (300..<400).contains(status) }

  /// 301 and 302 turn POST into GET, as every client does (§15.4.2, §15.4.3); 303 turns all but HEAD into GET
  /// (§15.4.4); 307 and 308 change nothing. 300 leaves the choice to the user, and 304 to 306 are no redirections.
  private static func request(
    after status: Int, method: HTTPMethod, keepsPost: Bool
  ) -> (method: HTTPMethod, keepsBody: Bool)? {
    switch status {
    case 301, 302: method == .post && !keepsPost ? (.get, false) : (method, true)
    case 303: method == .post && keepsPost ? (method, true) : (method == .head ? .head : .get, false)
    case 307, 308: (method, true)
    default: nil
    }
  }

  /// `Location`, byte for byte, resolved against the request's URL. Two that differ are refused: following the first or
  /// the last is a choice that an attacker who can add a field would make.
  private static func target(of headers: HTTPHeaders, from url: HTTPURL) throws(RedirectProblem) -> HTTPURL? {
    guard let location = headers.firstValueBytes(of: "Location"), !location.isEmpty else { return nil }
    guard Set(headers.values(for: "Location")).count == 1 else { throw .severalLocations }
    do throws(HTTPURLError) {
      let target = try url.resolve(bytes: location)
      // The parser knows WebSocket URLs, too; and a port that nothing listens on is told here, while the redirection is at
      // hand.
      guard target.scheme == .http || target.scheme == .https else {
        throw HTTPURLError.unsupportedScheme(target.scheme.rawValue)
      }
      _ = try target.connectablePort()
      return target.inheritingFragment(of: url)
    } catch .unsupportedScheme(let scheme) {
      throw .unsupportedScheme(scheme)
    } catch {
      throw .invalidLocation(error)
    }
  }
}

/// What is not followed unless it was asked for.
extension RedirectRules {
  /// Why a proposal must not be followed, or nil: it would leave TLS, or hand what changes something, or a body, to another
  /// origin.
  ///
  /// - Parameters:
  ///   - proposal: The proposal.
  ///   - url: The URL of the request before it.
  ///   - hasBody: Whether a body would go along.
  ///   - allowsDowngrade: Whether HTTP may follow HTTPS.
  ///   - allowsUnsafe: Whether another origin may get unsafe methods (RFC 9110 §9.2.1) and bodies.
  package static func refusal(
    of proposal: Proposal, from url: HTTPURL, hasBody: Bool, allowsDowngrade: Bool, allowsUnsafe: Bool
  ) -> RedirectProblem? {
    if url.isSecure && !proposal.url.isSecure && !allowsDowngrade {
      return .downgrade(url: proposal.url.redactedDescription)
    }
    guard !allowsUnsafe, !proposal.url.isSameOrigin(as: url) else { return nil }
    if !proposal.method.isSafe {
      return .unsafeAcrossOrigins(method: proposal.method, url: proposal.url.redactedDescription)
    }
    return hasBody ? .bodyAcrossOrigins(url: proposal.url.redactedDescription) : nil
  }
}

/// What goes along.
extension RedirectRules {
  /// The `Referer` of a request that a redirection asks for: the URL that redirected, without userinfo and fragment; nil when it
  /// must not be told (RFC 9110 §10.1.3). What was read over TLS is told to nobody but its own origin.
  package static func referer(from url: HTTPURL, to target: HTTPURL) -> String? {
    guard !url.isSecure || target.isSameOrigin(as: url) else { return nil }
    return url.removingUserinfo().removingFragment().description
  }

  /// Names, in lower case, of fields that carry credentials: they never go to another origin.
  package static var credentialNames: Set<String> {
    [
      "authorization", "cookie", "proxy-authorization", "x-access-token", "x-amz-security-token", "x-api-key",
      "x-auth-token", "x-csrf-token", "x-refresh-token", "x-session-token", "x-token",
    ]
  }

  /// The fields for a request without the body that the one before had: what describes or announces a body is dropped.
  package static func droppingBodyFields(_ headers: HTTPHeaders) -> HTTPHeaders {
    var kept = headers
    for header in headers {
      let name = header.name.asciiLowercased
      let describesBody =
        name.utf8.starts(with: "content-".utf8) && name != "content-security-policy"
        || ["digest", "repr-digest", "expect", "te", "trailer", "transfer-encoding"].contains(name)
      if describesBody { kept.remove(header.name) }
    }
    return kept
  }

  /// The fields that may go to another origin: none that the caller's request had, and none with credentials. When the
  /// body goes along, so do the fields without which it cannot be read.
  ///
  /// - Parameters:
  ///   - headers: The fields of the request that is proposed.
  ///   - original: The fields of the caller's request, before the first redirection.
  ///   - additional: More names of fields with credentials, in any case.
  ///   - keepsBody: Whether the body is sent.
  package static func crossOriginFields(
    _ headers: HTTPHeaders, original: HTTPHeaders, additional: [String], keepsBody: Bool
  ) -> HTTPHeaders {
    let bodyNames: Set<String> = keepsBody ? ["content-type", "content-encoding", "content-language"] : []
    let callers = Set(original.map(\.name.asciiLowercased)).subtracting(bodyNames)
    let secrets = credentialNames.union(additional.map(\.asciiLowercased))
    var kept = headers
    for header in headers {
      let name = header.name.asciiLowercased
      if callers.contains(name) || secrets.contains(name) { kept.remove(header.name) }
    }
    return kept
  }
}

/// What goes along from a client whose requests have fields for every purpose.
extension RedirectRules {
  /// Names, in lower case, of request fields that say what is wanted and never who wants it.
  private static var harmlessNames: Set<String> {
    [
      "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "cache-control", "dnt",
      "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "max-forwards", "pragma",
      "prefer", "priority", "range", "te", "upgrade-insecure-requests", "user-agent",
    ]
  }

  /// The same for fields without which a body cannot be read.
  private static var harmlessBodyNames: Set<String> {
    [
      "content-digest", "content-disposition", "content-encoding", "content-language", "content-length", "content-md5",
      "content-range", "content-type", "digest", "expect", "repr-digest", "trailer", "transfer-encoding",
    ]
  }

  /// The fields that may go to another origin when nobody knows what the others mean: those on a list of harmless ones,
  /// unless they were marked as sensitive.
  ///
  /// `Host`, `Origin` and `Referer` are not among them: they speak of the origin that is left.
  ///
  /// - Parameters:
  ///   - headers: The fields of the request that is proposed.
  ///   - additional: More names of fields with credentials, in any case.
  ///   - keepsBody: Whether the body is sent.
  package static func harmlessFields(
    of headers: HTTPHeaders, additional: Set<String>, keepsBody: Bool
  ) -> HTTPHeaders {
    var kept = headers
    for name in harmfulNames(in: headers, additional: additional, keepsBody: keepsBody) { kept.remove(name) }
    return kept
  }

  /// The names, in lower case, of the fields that ``harmlessFields(of:additional:keepsBody:)`` leaves out.
  package static func harmfulNames(
    in headers: HTTPHeaders, additional: Set<String>, keepsBody: Bool
  ) -> [String] {
    var harmless = harmlessNames
    if keepsBody { harmless.formUnion(harmlessBodyNames) }
    harmless.subtract(additional.map(\.asciiLowercased))
    var harmful: [String] = []
    for (index, header) in headers.enumerated() {
      let name = header.name.asciiLowercased
      guard !harmful.contains(name) else { continue }
      if headers.isSensitive(at: index) || !harmless.contains(name) { harmful.append(name) }
    }
    return harmful
  }
}

/// Why a redirection cannot be followed.
package enum RedirectProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// More than ``RedirectRules/maximumHops`` in a row.
  case tooManyHops(Int)
  /// The same request was sent before, and no cookie was set since: it would go round for ever.
  case loop(String)
  /// There are two `Location` fields with different values.
  case severalLocations
  /// `Location` is no URL.
  case invalidLocation(HTTPURLError)
  /// `Location` leads out of HTTP.
  case unsupportedScheme(String)
  /// The body has to be sent again and exists only once.
  case bodyNotReplayable(status: Int)
  /// A policy does not follow it.
  case refused(url: String)
  /// HTTP would follow HTTPS.
  case downgrade(url: String)
  /// Another origin would get a method that may change something.
  case unsafeAcrossOrigins(method: HTTPMethod, url: String)
  /// Another origin would get the body.
  case bodyAcrossOrigins(url: String)

  /// A stable number, for errors that have codes.
  package var code: Int {
    switch self {
    case .tooManyHops: 1
    case .loop: 2
    case .severalLocations: 3
    case .invalidLocation: 4
    case .unsupportedScheme: 5
    case .bodyNotReplayable: 6
    case .refused: 7
    case .downgrade: 8
    case .unsafeAcrossOrigins: 9
    case .bodyAcrossOrigins: 10
    }
  }

  /// One line without credentials.
  package var description: String {
    switch self {
    case .tooManyHops(let limit): "more than \(limit) redirects"
    case .loop(let url): "redirect loop at \(url)"
    case .severalLocations: "several Location fields that differ"
    case .invalidLocation(let error): "invalid Location: \(error)"
    case .unsupportedScheme(let scheme): "redirect to the unsupported scheme \"\(scheme)\""
    case .bodyNotReplayable(let status): "the body cannot be sent again, as status \(status) asks"
    case .refused(let url): "the redirect to \(url) is refused by the policy"
    case .downgrade(let url): "the redirect from https to \(url) is refused: it would leave TLS"
    case .unsafeAcrossOrigins(let method, let url):
      "the redirect of a \(method.rawValue) to another origin, \(url), is refused"
    case .bodyAcrossOrigins(let url): "the redirect of a request with a body to another origin, \(url), is refused"
    }
  }
}

/// The hops of one call: counts them, and notices when they go round.
///
/// A request that was sent before is a loop, unless a response set a cookie since: sites set one and redirect to the same
/// URL, and the second request, whose `Cookie` a jar adds, is another one.
package struct RedirectTrail: Sendable {
  private struct Visit: Sendable, Hashable {
    var method: HTTPMethod
    var url: HTTPURL
    var headers: HTTPHeaders
  }

  private var visits: Set<Visit> = []
  private let limit: Int
  /// How many redirections were followed.
  package private(set) var hops = 0

  package init(limit: Int = RedirectRules.maximumHops) { self.limit = max(0, limit) }

  /// Notes a request before it is sent.
  package mutating func visit(method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders) {
    visits.insert(Visit(method: method, url: url.removingFragment(), headers: headers))
  }

  /// Notes a redirection that is about to be followed.
  ///
  /// - Throws: ``RedirectProblem/tooManyHops(_:)`` and ``RedirectProblem/loop(_:)``.
  package mutating func follow(
    method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, after response: HTTPHeaders
  ) throws(RedirectProblem) {
    guard hops < limit else { throw .tooManyHops(limit) }
    if response.contains("Set-Cookie") { visits.removeAll() }
    let visit = Visit(method: method, url: url.removingFragment(), headers: headers)
    guard visits.insert(visit).inserted else { throw .loop(url.redactedDescription) }
    hops += 1
  }
}
