/// Something that a server must not do, or that clients get wrong, ready to be played to a client; ``HTTP2Attacks`` has
/// all of them.
///
/// ```swift
/// @Test(arguments: HTTP2Attacks.all)
/// func survives(attack: HTTP2Attack) async throws {
///   let server = try attack.start()
///   defer { server.stop() }
///   // … GET server.url("/attack"): how it ends must be one of attack.outcomes …
///   // … after a stream error or a success, GET server.url("/after") gives 200 and "alive" …
///   #expect(server.snapshot.violations.isEmpty)
/// }
/// ```
public struct HTTP2Attack: Sendable {
  /// How a request ends whose connection is attacked.
  public enum Outcome: Sendable, Hashable {
    /// With 200 and the body ``HTTP2Attack/aliveBody``.
    case success
    /// With an error; the connection goes on, and the next request on it succeeds.
    case streamError
    /// With an error; the connection is over.
    case connectionError
  }

  /// What it is, in words.
  public let name: String
  /// The outcomes that the RFCs and common sense allow.
  public let outcomes: Set<Outcome>
  /// The codes of RST_STREAM or GOAWAY that a client may send because of it; empty when none is expected.
  public let codes: Set<HTTP2Frame.ErrorCode>
  /// Whether nothing but a time limit of the client's own ends the request.
  public var hangs = false
  /// Whether it only works while nobody reads the response's body.
  public var needsUnreadBody = false
  /// Set, it keeps the receive buffer of the server's socket small, so that what the client sends piles up on its side.
  public var receiveBufferBytes: Int?
  /// What each connection does, from the preface on.
  public let script: HTTP2FrameServer.Script

  /// The body of correct answers.
  public static let aliveBody = "alive"

  /// An attack.
  ///
  /// - Parameters:
  ///   - name: What it is, in words.
  ///   - outcomes: How the request may end.
  ///   - codes: The codes of RST_STREAM or GOAWAY that a client may send because of it.
  ///   - script: What each connection does, from the preface on.
  public init(
    _ name: String, _ outcomes: Set<Outcome>, _ codes: Set<HTTP2Frame.ErrorCode> = [],
    script: @escaping HTTP2FrameServer.Script
  ) {
    self.name = name
    self.outcomes = outcomes
    self.codes = codes
    self.script = script
  }

  /// Starts a server that attacks every connection.
  public func start(
    options: HTTP2FrameServer.Options = HTTP2FrameServer.Options()
  ) throws(TestSupportError) -> HTTP2FrameServer {
    var options = options
    if let receiveBufferBytes { options.socket.receiveBufferBytes = receiveBufferBytes }
    return try HTTP2FrameServer.start(options: options, script)
  }

  /// An attack on the first request of a connection: the handshake, a whole request, the attack, and then correct answers
  /// to the requests that follow.
  static func onRequest(
    _ name: String, _ outcomes: Set<Outcome>, _ codes: Set<HTTP2Frame.ErrorCode>,
    _ attack: @escaping @Sendable (HTTP2FrameConnection, UInt32) throws -> Void
  ) -> HTTP2Attack {
    HTTP2Attack(name, outcomes, codes) { connection in
      try connection.handshake([.maxConcurrentStreams(100)])
      let request = try connection.nextRequest()
      try attack(connection, request.stream)
      try connection.serve { _ in .text(aliveBody) }
    }
  }

  /// Frames on the stream of the first request.
  static func frames(
    _ name: String, _ outcomes: Set<Outcome>, _ codes: Set<HTTP2Frame.ErrorCode>,
    _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack {
    onRequest(name, outcomes, codes) { connection, stream in try connection.send(frames(stream)) }
  }

  /// Frames that a client must object to, and then a correct answer: the request succeeds when the client does not.
  static func answered(
    _ name: String, _ outcomes: Set<Outcome>, _ codes: Set<HTTP2Frame.ErrorCode>,
    _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack {
    onRequest(name, outcomes, codes) { connection, stream in
      try connection.send(frames(stream))
      try connection.respond(stream, .text(aliveBody))
    }
  }

  /// The same frames again and again, up to a number that no client may take, then a correct answer.
  ///
  /// - Parameters:
  ///   - begin: Frames that are sent once before.
  ///   - readsReplies: False lets the client's replies pile up.
  static func flood(
    _ name: String, _ outcomes: Set<Outcome> = [.connectionError], count: Int = 200_000,
    begin: @escaping @Sendable (UInt32) -> [HTTP2Frame] = { _ in [] }, readsReplies: Bool = true,
    _ frames: @escaping @Sendable (UInt32, Int) -> [HTTP2Frame]
  ) -> HTTP2Attack {
    onRequest(name, outcomes, [.enhanceYourCalm, .protocolError, .streamClosed, .cancel, .compressionError]) {
      connection, stream in
      try connection.send(begin(stream))
      var sent = 0
      while sent < count {
        let end = min(sent + 256, count)
        try connection.send((sent..<end).flatMap { frames(stream, $0) })
        sent = end
        if readsReplies { try connection.readAvailableFrames() }
      }
      try connection.respond(stream, .text(aliveBody))
    }
  }

  /// The same with the given properties.
  func with(hangs: Bool = false, needsUnreadBody: Bool = false, receiveBufferBytes: Int? = nil) -> HTTP2Attack {
    var copy = self
    copy.hangs = hangs
    copy.needsUnreadBody = needsUnreadBody
    copy.receiveBufferBytes = receiveBufferBytes
    return copy
  }
}

extension HTTP2Attack: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
