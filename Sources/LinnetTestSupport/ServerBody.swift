/// The body of a ``ServerResponse``: parts that are sent one after the other, none of them kept longer than needed.
public struct ServerBody: Sendable, ExpressibleByStringLiteral {
  /// A piece of a body or something that happens between two pieces.
  public enum Part: Sendable {
    /// These bytes; one chunk when the body is chunked.
    case bytes([UInt8])
    /// That many bytes of ``TestPattern``, generated while they are sent.
    case pattern(UInt64)
    /// That many zero bytes, generated while they are sent.
    case zeros(UInt64)
    /// Sends what there is so far, then waits for the gate.
    case wait(Gate)
    /// Sends what there is so far, then waits for a time: the pace of a slow server.
    case pause(Duration)
    /// Sends what there is so far, then runs a raw effect, for instance a reset in the middle of a body. Over HTTP/2 only
    /// effects that neither read nor send.
    case effect(SocketEffect)
    /// Sends what there is so far, then resets the stream with this code (RFC 9113 §7). HTTP/1.1 has nothing smaller than
    /// the connection, so that is reset there.
    case resetStream(UInt32)
  }

  /// The parts in order.
  public var parts: [Part]

  /// A body of parts.
  public init(_ parts: [Part] = []) { self.parts = parts }

  /// A body of these bytes.
  public init(bytes: [UInt8]) { parts = bytes.isEmpty ? [] : [.bytes(bytes)] }

  /// A body of the UTF-8 bytes of a text.
  public init(stringLiteral value: String) { self.init(bytes: Array(value.utf8)) }

  /// That many bytes of ``TestPattern``.
  public static func pattern(_ count: UInt64) -> ServerBody { ServerBody([.pattern(count)]) }

  /// The number of bytes of all parts.
  public var count: UInt64 {
    parts.reduce(0) { sum, part in
      switch part {
      case .bytes(let bytes): sum &+ UInt64(bytes.count)
      case .pattern(let count), .zeros(let count): sum &+ count
      case .wait, .pause, .effect, .resetStream: sum
      }
    }
  }
}
