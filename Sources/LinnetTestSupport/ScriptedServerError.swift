internal import Glibc

/// A system call that failed while a test fixture was set up.
public struct ScriptedServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call, such as `bind`.
  public let call: String
  /// The `errno` value it failed with; 0 when the failure is not the system's.
  public let errno: CInt
  /// What was wrong, when it was not the system.
  public let detail: String?

  /// A failed system call.
  public init(call: String, errno: CInt, detail: String? = nil) {
    self.call = call
    self.errno = errno
    self.detail = detail
  }

  /// `bind: Address already in use`.
  public var description: String {
    if let detail { return "\(call): \(detail)" }
    return "\(call): \(String(cString: strerror(errno)))"
  }

  static func last(_ call: String) -> ScriptedServerError { ScriptedServerError(call: call, errno: Glibc.errno) }
}
