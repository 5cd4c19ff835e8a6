internal import Glibc
internal import LinnetBytes

/// A server on the loopback interface that does exactly what a script says, and records what its clients did.
///
/// It is an independent oracle: blocking sockets, one thread for each connection, and a strict HTTP/1.1 parser of its own,
/// sharing nothing with the client's engine. It takes thousands of connections at once.
///
/// In handler mode it speaks HTTP/2 too, when ``Options/acceptsHTTP2PriorKnowledge`` or ALPN say so: one script serves both
/// versions. There it shares the client's protocol machine, so it tests what requests mean and not how frames look.
///
/// ```swift
/// let server = try ScriptedServer.start(.handler { request in
///   request.path == "/big" ? .pattern(1 << 20) : .text("hello")
/// })
/// defer { server.stop() }
///
/// // … let the client GET server.url("/x") …
///
/// let seen = try await server.waitForRequests(1)
/// #expect(seen[0].headers["Host"] == server.authority)
/// #expect(server.snapshot.violations.isEmpty)
/// ```
///
/// A connection that breaks in the middle of a body:
///
/// ```swift
/// let server = try ScriptedServer.start(.steps([
///   .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n12345"), .close,
/// ]))
/// ```
public final class ScriptedServer: Sendable {
  /// Where a server listens. All of them are reachable from this machine only.
  public enum Address: Sendable, Hashable {
    /// 127.0.0.1.
    case ipv4
    /// ::1, and no IPv4.
    case ipv6
    /// A Unix socket with this path; an old file there is removed, and the file is removed when the server stops.
    case unix(path: String)
    /// A Unix socket in the abstract name space of Linux.
    case abstract(name: String)
  }

  /// What a server does with connection attempts.
  public enum Acceptance: Sendable, Hashable {
    /// It accepts them.
    case all
    /// It never accepts: the kernel completes the TCP handshake, and then nothing happens.
    case nothing
    /// It never accepts, and its queue is full: the TCP handshake is never completed either. TCP only.
    case nothingWithFullBacklog
  }

  /// How a server is set up.
  public struct Options: Sendable {
    /// Where it listens; 127.0.0.1 by default.
    public var address: Address = .ipv4
    /// The port; 0, the default, takes a free one.
    public var port: UInt16 = 0
    /// How it speaks TLS; nil, the default, is clear text.
    public var tls: ServerTLS?
    /// Whether a cleartext connection that begins with HTTP/2's preface (RFC 9113 §3.4) is served as HTTP/2, in handler
    /// mode. False by default: the server then speaks HTTP/1.1 only, and the preface is a violation. Over TLS it is ALPN
    /// that decides, see ``ServerTLS/applicationProtocols``.
    public var acceptsHTTP2PriorKnowledge = false
    /// How it speaks HTTP/2.
    public var http2 = ServerHTTP2()
    /// What it does with connection attempts. ``Acceptance/all`` by default.
    public var acceptance: Acceptance = .all
    /// The length of the queue of connections that wait to be accepted; 4,096 by default, which the kernel caps at
    /// `net.core.somaxconn`.
    public var acceptBacklog = 4096
    /// `SO_RCVBUF` of each connection in bytes (the kernel doubles it); nil leaves the system's value.
    public var receiveBufferBytes: Int?
    /// `SO_SNDBUF` of each connection in bytes (the kernel doubles it); nil leaves the system's value.
    public var sendBufferBytes: Int?
    /// Bodies up to this size are kept whole, larger ones as length and digest; 1 MiB by default.
    public var keptBodyBytes = 1 << 20
    /// How many requests and connections are kept in ``ServerSnapshot``; counts go on beyond. 10,000 by default, of
    /// about 2 KiB each; fewer for tests that measure memory.
    public var recordLimit = 10_000
    /// The stack of each connection's thread in bytes. 512 KiB by default; it is only reserved, not used.
    public var stackBytes = 512 << 10

    /// The defaults.
    public init() {}
  }

  /// How the server was set up.
  public var options: Options { core.options }
  /// The port it listens on; 0 for a Unix socket.
  public let port: UInt16
  /// What it saw so far.
  public var snapshot: ServerSnapshot { core.snapshot.value }

  let core: ServerCore

  private struct Listener {
    var descriptor: CInt
    /// A byte in the pipe tells the accepting thread to end.
    var wakePipe: (read: CInt, write: CInt)
    var acceptor: PosixThread?
    /// Connections of ours that fill the queue.
    var fillers: [CInt]
  }

  private let listener: Lock<Listener?>

  /// Starts a server.
  ///
  /// - Throws: ``TestSupportError`` when the system refuses the socket or the thread.
  public static func start(
    _ script: ServerScript, options: Options = Options()
  ) throws(TestSupportError) -> ScriptedServer {
    try ScriptedServer(core: try ServerCore(script: script, options: options))
  }

  /// Runs `body` with a server and stops it afterwards, also when `body` throws.
  public static func with<Result>(
    _ script: ServerScript, options: Options = Options(), _ body: (ScriptedServer) async throws -> Result
  ) async throws -> Result {
    let server = try start(script, options: options)
    defer { server.stop() }
    return try await body(server)
  }

  private init(core: ServerCore) throws(TestSupportError) {
    self.core = core
    let (descriptor, port) = try ListeningSocket.open(core.options)
    self.port = port
    var listening = Listener(descriptor: descriptor, wakePipe: (-1, -1), acceptor: nil, fillers: [])
    do throws(TestSupportError) {
      switch core.options.acceptance {
      case .all:
        let wakePipe = try Pipe.open()
        listening.wakePipe = wakePipe
        listening.acceptor = try PosixThread.start(stackBytes: core.options.stackBytes) {
          Self.accept(on: descriptor, until: wakePipe.read, for: core)
        }
      case .nothing: break
      case .nothingWithFullBacklog:
        listening.fillers = try ListeningSocket.fillBacklog(of: core.options, port: port)
      }
    } catch {
      Self.close(listening)
      listener = Lock(nil)
      throw error
    }
    listener = Lock(listening)
  }

  deinit { stop() }

  /// Closes every connection and the listening socket and waits until all threads have ended: afterwards nothing of the
  /// server is left, no thread and no descriptor. Harmless when called again.
  public func stop() {
    let taken: Listener? = listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    guard let taken else { return }
    Self.joinAcceptor(of: taken)
    core.stopConnections()
    Self.close(taken)
    if case .unix(let path) = core.options.address { unlink(path) }
  }

  /// Stops listening while the open connections go on: later connection attempts are refused.
  ///
  /// ``stop()`` is still needed for the connections.
  public func stopListening() {
    let taken: Listener? = listener.withLock { listener in
      guard let taken = listener else { return nil }
      listener = Listener(descriptor: -1, wakePipe: (-1, -1), acceptor: nil, fillers: [])
      return taken
    }
    guard let taken else { return }
    Self.joinAcceptor(of: taken)
    Self.close(taken)
  }

  private static func joinAcceptor(of listener: Listener) {
    guard let acceptor = listener.acceptor else { return }
    var byte: UInt8 = 1
    _ = write(listener.wakePipe.write, &byte, 1)
    acceptor.join()
  }

  private static func close(_ listener: Listener) {
    for descriptor in [listener.descriptor, listener.wakePipe.read, listener.wakePipe.write] + listener.fillers
    where descriptor >= 0 {
      Glibc.close(descriptor)
    }
  }

  private static func accept(on listener: CInt, until wake: CInt, for core: ServerCore) {
    while true {
      var interests = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&interests, 2, -1) >= 0 || errno == EINTR else { return }
      if interests[1].revents != 0 { return }
      guard interests[0].revents != 0 else { continue }
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        core.accepted(descriptor)
      } else if errno == EMFILE || errno == ENFILE {
        // The process has no descriptor left; the connection stays in the queue until there is one again.
        poll(&interests[1], 1, 10)
      }
      core.reap()
    }
  }
}

extension ScriptedServer {
  /// `127.0.0.1:8080` or `[::1]:8080`: what a client's `Host` field must say for the default host. `localhost` for a Unix
  /// socket.
  public var authority: String {
    switch options.address {
    case .ipv4: "127.0.0.1:\(port)"
    case .ipv6: "[::1]:\(port)"
    case .unix, .abstract: "localhost"
    }
  }

  /// The URL of a path on this server.
  ///
  /// - Parameters:
  ///   - path: Path and query, with the leading `/`.
  ///   - host: A name that leads to this server, instead of the address.
  public func url(_ path: String = "/", host: String? = nil) -> String {
    "\(options.tls == nil ? "http" : "https")://\(host.map { "\($0):\(port)" } ?? authority)\(path)"
  }
}
