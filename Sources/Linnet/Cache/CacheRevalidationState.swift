/// What became of the validation that follows when a stale response was used.
public enum CacheRevalidationState: Sendable, Hashable {
  /// It begins. Exactly one of the others follows.
  case scheduled
  /// The server confirmed the stored response.
  case notModified
  /// The server answered with this status. The answer replaced the stored response if it may be stored.
  case completed(statusCode: Int)
  /// There was no answer; the stored response stays. The message names the kind of failure and has no content of
  /// requests.
  case failed(errorCode: Int, message: String)
}
