/// How urgent a request is.
///
/// On Apple platforms this orders the tasks of one session. Here it is told to the server in the `Priority` field
/// (RFC 9218 §4.1): `u=5` for ``background``, nothing for ``normal``, whose urgency 3 is the default, and `u=1` for
/// ``userInitiated``. A `Priority` field that the endpoint sets itself is kept.
public enum RequestPriority: Sendable, Hashable, CaseIterable {
  /// Work nobody waits for.
  case background
  /// The default.
  case normal
  /// Somebody waits for it.
  case userInitiated
}
