package import FoundationEssentials
internal import LinnetBytes

/// Makes the ids of a client's calls.
///
/// `UUID()` asks the system for entropy each time, which costs as much as the rest of a small request's preparation. Here
/// it is asked once: an id is a keyed hash (the standard library's, with a key of the process) of random numbers of the
/// client and the number of the call.
package final class RequestIDs: Sendable {
  private struct Numbers: RandomNumberGenerator, Sendable {
    let client = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    var drawn: UInt64 = 0

    mutating func next() -> UInt64 {
      drawn &+= 1
      var hasher = Hasher()
      hasher.combine(client.0)
      hasher.combine(client.1)
      hasher.combine(drawn)
      return UInt64(bitPattern: Int64(hasher.finalize()))
    }
  }

  private let numbers = Lock(Numbers())

  package init() {}

  /// An id that no other call has: a UUID of version 4 (RFC 9562 §5.4).
  package func next() -> UUID { numbers.withLock { UUID.random(using: &$0) } }
}
