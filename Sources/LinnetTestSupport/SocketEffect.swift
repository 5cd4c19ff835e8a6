/// One step of a raw ``ServerScript``: what a server does on a connection, and every way in which it can misbehave.
///
/// The set is closed on purpose: a fault that a test needs is added here, so that all tests can use it.
public enum SocketEffect: Sendable {
  // MARK: Reading

  /// Reads one request head and records the request; its body stays unread.
  case readHead
  /// Reads the rest of the request that ``readHead`` began.
  case readBody
  /// Reads a whole request, head and body.
  case readRequest
  /// Reads that many raw bytes, whatever they are.
  case readBytes(Int)
  /// Reads the rest of the present request in pieces of at most `bytes`, with a pause after each: a slow server.
  case readBodySlowly(bytes: Int, every: Duration)
  /// Reads and drops everything until the client closes.
  case readUntilClosed

  // MARK: Sending

  /// Sends the bytes with as few system calls as the kernel allows.
  case sendBytes([UInt8])
  /// Sends each piece with a call of its own.
  case sendPieces([[UInt8]])
  /// Sends byte by byte, each with a call of its own, pausing in between when `every` is given.
  case trickle([UInt8], every: Duration?)
  /// Sends the first `at` bytes, waits for the gate, and sends the rest.
  case split([UInt8], at: Int, until: Gate)
  /// Sends only the first `after` bytes and closes the connection.
  case truncate([UInt8], after: Int)
  /// Sends that many bytes of ``TestPattern``.
  case sendPattern(UInt64)
  /// Sends ``TestPattern`` without end, until the client closes.
  case sendForever

  // MARK: Waiting

  /// Waits until the test opens the gate; the connection ends when the client closes meanwhile.
  case wait(Gate)
  /// Opens a gate: tells the test that the script got here.
  case open(Gate)
  /// Waits for a time. For the pace of a slow server, never to wait until something has happened.
  case pause(Duration)
  /// Does nothing, neither reads nor sends, until the client closes or the server is stopped.
  case stall

  // MARK: Forwarding

  /// Forwards bytes in both directions to the server on this port of 127.0.0.1, as a tunnel or a relay does, until the
  /// client closes. Once the gate is open nothing is forwarded any more and nothing is closed: a dead network.
  case relay(toPort: UInt16, frozenBy: Gate)

  // MARK: Ending

  /// Ends the server's side: `close_notify` with TLS, then FIN. The script can go on reading.
  case halfClose
  /// Closes the connection at once; `close_notify` with TLS, then FIN, or RST when there is unread input.
  case close
  /// Closes a TLS connection with FIN and without `close_notify` (a truncation attack); the same as ``close`` without
  /// TLS.
  case closeWithoutCloseNotify
  /// Resets the connection (RST).
  case reset

  // MARK: Structure

  /// Runs the steps again and again until the connection ends.
  case repeatForever([SocketEffect])
  /// Runs the steps that many times.
  case repeated(Int, [SocketEffect])

  /// Sends the UTF-8 bytes of the text. A line end must be written as `\r\n`.
  public static func send(_ text: String) -> SocketEffect { .sendBytes(Array(text.utf8)) }
}
