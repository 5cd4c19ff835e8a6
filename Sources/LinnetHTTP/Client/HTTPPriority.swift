/// How a response should be served beside others of the same client (RFC 9218).
public struct HTTPPriority: Sendable, Hashable {
  /// From 0, the most urgent, to 7; others are clamped. Default 3.
  public var urgency: Int
  /// Whether parts of the response are useful before it is complete, so that responses of the same urgency may take turns.
  public var isIncremental: Bool

  /// A priority; the defaults are those of the RFC.
  public init(urgency: Int = 3, isIncremental: Bool = false) {
    self.urgency = urgency
    self.isIncremental = isIncremental
  }

  /// The value of the `Priority` field, such as `u=1, i`. What equals the default is left out (RFC 9218 §4); a priority of
  /// defaults only is `u=3`.
  var fieldValue: String {
    let urgency = min(7, max(0, urgency))
    if urgency == 3 { return isIncremental ? "i" : "u=3" }
    return isIncremental ? "u=\(urgency), i" : "u=\(urgency)"
  }
}
