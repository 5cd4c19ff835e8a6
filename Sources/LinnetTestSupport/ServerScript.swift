/// What a ``ScriptedServer`` does with its connections.
///
/// Two modes, which can be mixed per connection (``perConnection(_:)``) and per request (``ServerResponse/raw(_:)-([SocketEffect])``):
/// - *handler*: the server speaks correct HTTP/1.1 or HTTP/2 and asks a closure for the answer to each request;
/// - *steps*: the server does exactly the ``SocketEffect``s, right or wrong; bytes of HTTP/1.1, or of any other protocol.
public struct ServerScript: Sendable {
  /// What to do once the head of a request was read.
  public enum HeadDecision: Sendable {
    /// Read the body, then ask the handler. A client that sent `Expect: 100-continue` gets `100 Continue` first
    /// (RFC 9110 §10.1.1).
    case readBody
    /// Read the body without sending `100 Continue`.
    case readBodyWithoutContinue
    /// Wait for the gate before `100 Continue`, then as ``readBody``.
    case continueAfter(Gate)
    /// Leave the body unread until the gate is open, so that it fills the buffers and, over HTTP/2, the stream's window.
    case readBodyAfter(Gate)
    /// Read the body in pieces of at most `bytes`, with a pause after each: a slow server.
    case readBodySlowly(bytes: Int, every: Duration)
    /// Answer now, without having read the body. Unless there is no body, the connection is closed afterwards; over HTTP/2
    /// the stream is reset with NO_ERROR instead (RFC 9113 §8.1).
    case respond(ServerResponse)
    /// Reset the stream with this code (RFC 9113 §7), such as 7 for REFUSED_STREAM. HTTP/1.1 has nothing smaller than the
    /// connection, so that is reset there.
    case resetStream(UInt32)
  }

  enum Behaviour: Sendable {
    case steps([SocketEffect])
    case handler(
      onHead: (@Sendable (RecordedRequest) -> HeadDecision)?, respond: @Sendable (RecordedRequest) -> ServerResponse)
    /// Another protocol than HTTP/1.1.
    case custom(@Sendable (ServerConnection) throws(ConnectionEnd) -> Void)
  }

  /// The behaviour for the connection with this number (from 1 on).
  let behaviour: @Sendable (Int) -> Behaviour
  /// Called when a connection is over and recorded, without locks.
  var connectionEnded: (@Sendable (ConnectionRecord) -> Void)?

  /// Answers each request with what `respond` returns. It runs on the thread of the connection, so on several threads at
  /// once, and must not block: use ``ServerResponse/waiting(for:)`` to answer late.
  ///
  /// - Parameters:
  ///   - onHead: Called when a head was read, before the body; decides about `100 Continue` and early answers.
  ///   - respond: Makes the answer to a request that was read to its end.
  public static func handler(
    onHead: (@Sendable (RecordedRequest) -> HeadDecision)? = nil,
    _ respond: @escaping @Sendable (RecordedRequest) -> ServerResponse
  ) -> ServerScript {
    ServerScript { _ in .handler(onHead: onHead, respond: respond) }
  }

  /// Does these steps on every connection; when they are over the connection is closed.
  public static func steps(_ effects: [SocketEffect]) -> ServerScript {
    ServerScript { _ in .steps(effects) }
  }

  /// Reads a request, sends exactly this text and keeps the connection, again and again.
  public static func answer(_ text: String) -> ServerScript {
    .steps([.repeatForever([.readRequest, .send(text)])])
  }

  /// Answers the *n*-th request, counted over all connections, with the *n*-th response; the last one repeats. An empty
  /// list answers 500.
  public static func responses(_ responses: [ServerResponse]) -> ServerScript {
    let position = Observed(0)
    return .handler { _ in
      let index = position.mutate { index in
        defer { index += 1 }
        return min(index, responses.count - 1)
      }
      return index >= 0 ? responses[index] : ServerResponse(500)
    }
  }

  /// Chooses a script for each connection by its number, from 1 on.
  public static func perConnection(_ choose: @escaping @Sendable (Int) -> ServerScript) -> ServerScript {
    ServerScript { number in choose(number).behaviour(number) }
  }
}
