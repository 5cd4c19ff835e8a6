/// Middleware that can be changed while the client is in use, by any task. It runs in every attempt that is prepared from
/// then on: after interceptors and the session's token, before redirects, cache and signers.
extension DefaultNetworkClient {
  /// Adds middleware after what there is.
  ///
  /// - Returns: What ``removeMiddleware(_:)`` takes.
  @discardableResult
  public func addMiddleware(_ middleware: Middleware) -> MiddlewareRegistration { self.middleware.add(middleware) }

  /// Removes one middleware. Does nothing when it was removed before.
  public func removeMiddleware(_ registration: MiddlewareRegistration) {
    middleware.remove { id, _ in id == registration.id }
  }

  /// Removes all middleware for this matcher.
  public func removeMiddleware(for pathMatcher: PathMatcher) {
    middleware.remove { _, middleware in middleware.pathMatcher == pathMatcher }
  }
}
