internal import Glibc

/// Why something that a test needs could not be set up: a socket, a thread, a file or a certificate.
public struct TestSupportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system call, such as `bind`, or what else was attempted.
  public let call: String
  /// The `errno` value; 0 when the failure is not the system's.
  public let errno: CInt
  /// What was wrong, when it was not the system.
  public let detail: String?

  /// A failure of the call with this name.
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

  static func last(_ call: String) -> TestSupportError { TestSupportError(call: call, errno: Glibc.errno) }
}
