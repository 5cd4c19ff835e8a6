internal import LinnetBytes
package import LinnetHTTPTypes

/// The age and the lifetime of a response (RFC 9111 §4.2), for a private cache: `s-maxage` is for shared ones.
package enum Freshness {
  /// How long a response is good for.
  package enum Lifetime: Sendable, Hashable {
    /// The server said so. Zero when what it said is invalid: such a response is stale (§4.2.1).
    case explicit(Duration)
    /// A tenth of the time since the last modification (§4.2.2).
    case heuristic(Duration)
    /// Nothing tells.
    case unknown
  }

  /// The longest lifetime that is guessed: 24 hours, as in Firefox's and Squid's defaults a bound of days, and above
  /// which RFC 2616 asked for a warning.
  package static var longestHeuristicLifetime: Duration { .seconds(86_400) }

  /// The lifetime of a response.
  ///
  /// - Parameters:
  ///   - headers: The fields of the response.
  ///   - responseTime: When it was received; stands in for a missing `Date`.
  package static func lifetime(of headers: HTTPHeaders, receivedAt responseTime: WallTime) -> Lifetime {
    switch CacheControl(headers).seconds("max-age") {
    case .valid(let duration): return .explicit(duration)
    case .invalid: return .explicit(.zero)
    case .absent: break
    }
    let generated = date("Date", in: headers, now: responseTime) ?? responseTime
    if headers.contains("Expires") {
      guard let expires = date("Expires", in: headers, now: responseTime) else { return .explicit(.zero) }
      return .explicit(max(.zero, expires.since(generated)))
    }
    guard let modified = date("Last-Modified", in: headers, now: responseTime), modified <= generated else {
      return .unknown
    }
    return .heuristic(min(generated.since(modified) / 10, longestHeuristicLifetime))
  }

  /// How old a response was when it was received (`corrected_initial_age`, §4.2.3): the larger of what its `Date` says,
  /// and its `Age` with the time that the exchange took.
  ///
  /// - Parameters:
  ///   - headers: The fields of the response.
  ///   - requestTime: When the request was sent.
  ///   - responseTime: When the response was received.
  package static func initialAge(
    of headers: HTTPHeaders, requestTime: WallTime, responseTime: WallTime
  ) -> Duration {
    let apparent = date("Date", in: headers, now: responseTime).map { max(.zero, responseTime.since($0)) } ?? .zero
    let delay = max(.zero, responseTime.since(requestTime))
    return max(apparent, ageValue(of: headers) + delay)
  }

  /// The value of `Age`; zero when there is none or it is no number. Of a list the first member counts (§5.1).
  package static func ageValue(of headers: HTTPHeaders) -> Duration {
    var first: Duration?
    var isFirst = true
    headers.forEachListMember(of: "Age") { member in
      guard isFirst else { return }
      isFirst = false
      var bytes: [UInt8] = []
      for index in member.indices { bytes.append(member[index]) }
      first = CacheControl.deltaSeconds(bytes)
    }
    return first ?? .zero
  }

  /// The date of a field; nil when it is missing, no date in GMT, or there twice with two values.
  package static func date(_ name: String, in headers: HTTPHeaders, now: WallTime) -> WallTime? {
    let values = headers.values(for: name)
    guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
    return HTTPDate(text, now: now.date).map { WallTime($0) }
  }
}
