internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// A connection as its pool and the holder of a lease on one of its streams see it. Callable from any thread.
///
/// A lease ends in one of two ways: ``giveBack()`` without an exchange, or ``begin(_:channel:)``, after which the connection
/// itself tells the pool when the stream is free again.
protocol PooledConnection: ExchangeDriver {
  var id: PoolMachine.ConnectionID { get }
  var info: ConnectionInfo { get }
  var httpVersion: HTTPVersion { get }
  /// How many exchanges it can carry at a time, as far as is known.
  var streamLimit: Int { get }
  /// Lowers ``streamLimit`` until the peer says what it allows.
  func expectStreams(_ count: Int)
  /// How many exchanges it has carried or carries.
  var servedExchanges: UInt64 { get }
  /// Windows and queues of its streams, for a watchdog; empty when there are none.
  var flowControlReport: String { get }

  /// Begins to act on events: a connection that dies at once must be known to the pool that it reports to.
  func start()

  /// Writes the head and, when it is at hand, the body.
  func begin(_ start: ExchangeStart, channel: ResponseChannel) throws(TransportFailure) -> ExchangeID
  /// Whether the exchange is under way.
  func carries(_ id: ExchangeID) -> Bool
  /// Remembers the task that produces the body, so that it ends with the exchange.
  func setPump(_ pump: Task<Void, Never>, for id: ExchangeID)
  /// Sends a part of the body, or its end (`nil`); waits while too much is unsent.
  func sendBody(_ chunk: ByteChunk?, for id: ExchangeID) async throws(TransportFailure)
  /// The body's producer failed; the request cannot be completed.
  func failBody(_ failure: TransportFailure, for id: ExchangeID)
  /// Gives the lease back without having begun an exchange.
  func giveBack()

  /// Takes no new exchange, and closes when the last one ends: now, when there is none.
  func retire()
  /// Closes now; exchanges in flight fail.
  func close(failing failure: TransportFailure)
}

extension PooledConnection {
  /// Nothing: the number is certain.
  func expectStreams(_ count: Int) {}

  var flowControlReport: String { "" }

  func close() { close(failing: .shutDown) }
}
