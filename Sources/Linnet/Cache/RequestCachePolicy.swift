/// How one request uses the response cache, with the names of Foundation's `URLRequest.CachePolicy`.
///
/// It has an effect when the client has a ``ResponseCache``; without one every request goes to the server.
public enum RequestCachePolicy: Sendable, Hashable, CaseIterable {
  /// As the client's ``ResponseCachePolicy`` says.
  case useProtocolCachePolicy
  /// The cache is not read; the answer is stored.
  case reloadIgnoringLocalCacheData
  /// A stored response is revalidated even when it is fresh.
  case reloadRevalidatingCacheData
  /// A stored response is used whatever its age; without one the server is asked.
  case returnCacheDataElseLoad
  /// A stored response is used whatever its age; without one the request fails and nothing is sent.
  case returnCacheDataDontLoad
}
