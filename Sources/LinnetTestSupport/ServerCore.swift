internal import Glibc
internal import LinnetBytes
internal import LinnetTLS

/// What the threads of a ``ScriptedServer`` share: records, the list of live connections, and the order to stop.
final class ServerCore: Sendable {
  struct Threads {
    /// Descriptors by connection number; a thread takes its own out before it closes it, so that ``stop()`` never
    /// touches a number that was given to somebody else.
    var descriptors: [Int: CInt] = [:]
    var running: [Int: PosixThread] = [:]
    /// Threads that are at their end and wait to be joined.
    var finished: [PosixThread] = []
    var isStopping = false
  }

  let script: ServerScript
  let options: ScriptedServer.Options
  /// Set when the server speaks TLS.
  let tlsContext: TLSContext?
  let snapshot = Observed(ServerSnapshot())
  private let threads = Lock(Threads())

  init(script: ServerScript, options: ScriptedServer.Options) throws(TestSupportError) {
    self.script = script
    self.options = options
    tlsContext = try options.tls?.makeContext()
  }

  var isStopping: Bool { threads.withLock { $0.isStopping } }

  // MARK: Connections

  /// Starts the thread of an accepted connection.
  func accepted(_ descriptor: CInt) {
    let number = snapshot.mutate { snapshot in
      snapshot.connectionCount += 1
      if snapshot.connections.count < options.recordLimit {
        snapshot.connections.append(ConnectionRecord(number: snapshot.connectionCount))
      }
      return snapshot.connectionCount
    }
    // The lock is held over the start, so that the thread finds itself in the list when it ends.
    let failure: TestSupportError? = threads.withLock { threads in
      do throws(TestSupportError) {
        guard !threads.isStopping else { throw TestSupportError(call: "accept", errno: ECANCELED) }
        threads.running[number] = try PosixThread.start(stackBytes: options.stackBytes) { [self] in
          let ending = ServerConnection.run(number: number, descriptor: descriptor, core: self)
          ended(number, ending: ending, descriptor: descriptor)
        }
        threads.descriptors[number] = descriptor
        return nil
      } catch {
        return error
      }
    }
    guard let failure else { return }
    Glibc.close(descriptor)
    update(number) { $0.ending = .failed(failure.errno) }
    snapshot.mutate { $0.closedCount += 1 }
  }

  /// The last act of a connection's thread: closes the descriptor, then tells.
  private func ended(_ number: Int, ending: ConnectionEnding, descriptor: CInt) {
    let wasStopped = threads.withLock { threads in
      threads.descriptors[number] = nil
      return threads.isStopping
    }
    if ending == .serverReset {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
    Glibc.close(descriptor)
    // A stop shuts the socket down, which looks like a close by the client, or like a reset to a thread that is sending.
    let told: ConnectionEnding = wasStopped && (ending == .peerClosed || ending == .peerReset) ? .stopped : ending
    let record: ConnectionRecord? = snapshot.mutate { snapshot in
      snapshot.closedCount += 1
      if case .violation(let text) = ending, snapshot.violations.count < 100 { snapshot.violations.append(text) }
      guard number <= snapshot.connections.count else { return nil }
      snapshot.connections[number - 1].ending = told
      return snapshot.connections[number - 1]
    }
    if let record { script.connectionEnded?(record) }
    threads.withLock { threads in
      if let thread = threads.running.removeValue(forKey: number) { threads.finished.append(thread) }
    }
  }

  func update(_ number: Int, _ change: (inout ConnectionRecord) -> Void) {
    snapshot.mutate { snapshot in
      if number <= snapshot.connections.count { change(&snapshot.connections[number - 1]) }
    }
  }

  /// Records what breaks a rule and does not end its connection.
  func violated(_ text: String) {
    snapshot.mutate { snapshot in
      if snapshot.violations.count < 100 { snapshot.violations.append(text) }
    }
  }

  // MARK: Requests

  /// Records a head; the result is the place of its record, or nil when the limit is reached.
  func headReceived(_ request: RecordedRequest) -> Int? {
    snapshot.mutate { snapshot in
      snapshot.headCount += 1
      guard snapshot.requests.count < options.recordLimit else { return nil }
      snapshot.requests.append(request)
      return snapshot.requests.count - 1
    }
  }

  func requestReceived(_ request: RecordedRequest, place: Int?, receivedBytes: UInt64) {
    snapshot.mutate { snapshot in
      snapshot.requestCount += 1
      if let place { snapshot.requests[place] = request }
      if request.connection <= snapshot.connections.count {
        snapshot.connections[request.connection - 1].requestCount += 1
        snapshot.connections[request.connection - 1].receivedBytes = receivedBytes
      }
    }
  }

  // MARK: Threads

  /// Joins the threads of connections that ended, so that their stacks are given back while the server runs.
  func reap() {
    let finished = threads.withLock { threads in
      defer { threads.finished.removeAll() }
      return threads.finished
    }
    for thread in finished { thread.join() }
  }

  /// Ends every connection and joins its thread.
  func stopConnections() {
    threads.withLock { threads in
      threads.isStopping = true
      for descriptor in threads.descriptors.values { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }
    while true {
      reap()
      guard
        let thread = threads.withLock({ threads -> PosixThread? in
          guard let (number, thread) = threads.running.first else { return nil }
          threads.running[number] = nil
          return thread
        })
      else { break }
      thread.join()
    }
    reap()
  }
}
