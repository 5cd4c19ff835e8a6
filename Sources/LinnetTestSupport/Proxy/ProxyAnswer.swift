/// What a ``ScriptedProxy`` answers to a request.
public struct ProxyAnswer: Sendable {
  /// How the bytes of an answer go out.
  public enum Pacing: Sendable {
    /// At once.
    case whole
    /// The first so many bytes, and the rest when the gate opens.
    case split(at: Int, until: Gate)
    /// Each byte with a call of its own, pausing in between when a duration is given.
    case trickle(every: Duration?)
  }

  enum Content: Sendable {
    case allow
    case http(status: Int, headers: [HeaderLine], body: String, closes: Bool)
    case code(UInt8)
    case steps([SocketEffect])
  }

  var content: Content
  /// How the bytes of the answer go out; that of a forwarded request is the target's and always goes at once.
  public var pacing = Pacing.whole
  /// Sent together with a successful answer, right behind it, as if the target had spoken first.
  public var extra: [UInt8] = []
  /// The status line and fields of a successful answer to CONNECT, without the empty line.
  public var establishedHead = "HTTP/1.1 200 Connection established"
  /// The bound address of a successful answer of SOCKS 5, with its type and port.
  public var boundAddress: [UInt8] = [1, 127, 0, 0, 1, 0, 80]

  init(_ content: Content) { self.content = content }

  /// Does what was asked for. When the target refuses the connection: 502, or the code for that.
  public static var allow: ProxyAnswer { ProxyAnswer(.allow) }

  /// Refuses by HTTP; the connection stays open for another request unless `closes`.
  public static func refuse(
    _ status: Int, headers: [HeaderLine] = [], body: String = "", closes: Bool = false
  ) -> ProxyAnswer {
    ProxyAnswer(.http(status: status, headers: headers, body: body, closes: closes))
  }

  /// Refuses by SOCKS with this code (`REP` or `CD`) and closes.
  public static func refuse(code: UInt8) -> ProxyAnswer { ProxyAnswer(.code(code)) }

  /// Does these steps in place of an answer, right or wrong, and closes: garbage, a hang, a reset.
  public static func steps(_ effects: [SocketEffect]) -> ProxyAnswer { ProxyAnswer(.steps(effects)) }

  /// The same answer, paced.
  public func paced(_ pacing: Pacing) -> ProxyAnswer {
    var copy = self
    copy.pacing = pacing
    return copy
  }

  /// The same answer with bytes of the target right behind it.
  public func followed(by extra: [UInt8]) -> ProxyAnswer {
    var copy = self
    copy.extra = extra
    return copy
  }
}
