/// How one request uses the response cache, with the names of Foundation's `URLRequest.CachePolicy`.
///
/// It chooses among what the client's ``ResponseCachePolicy`` allows. Without a ``ResponseCache``, and with
/// ``ResponseCachePolicy/disabled`` or ``ResponseCachePolicy/networkOnly``, nothing is stored: every request goes to the
/// server, and ``returnCacheDataDontLoad`` fails.
public enum RequestCachePolicy: Sendable, Hashable, CaseIterable {
  /// As the client's ``ResponseCachePolicy`` says. The default of requests.
  case useProtocolCachePolicy
  /// The cache is not read; the answer is stored.
  case reloadIgnoringLocalCacheData
  /// A stored response is validated with the server even when it is fresh.
  case reloadRevalidatingCacheData
  /// A stored response is used whatever its age; without one the server is asked.
  case returnCacheDataElseLoad
  /// A stored response is used whatever its age; without one the request fails with ``NetworkError/underlying(_:_:)``,
  /// domain `ResponseCache`, code 504, and nothing is sent.
  case returnCacheDataDontLoad
}
