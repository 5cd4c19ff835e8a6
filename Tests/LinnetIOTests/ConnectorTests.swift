import Glibc
import LinnetBytes
import LinnetIO
import LinnetProtocols
import Testing

@Suite struct ConnectorTests {
  private let shard = ShardGroup.shared.next()

  private func soon(_ duration: Duration = .seconds(20)) -> Instant { shard.now.advanced(by: duration) }

  @Test("Each kind of address connects, and bytes move both ways")
  func connects() async throws {
    let path = temporaryPath("socket")
    let addresses = try [
      SocketAddress.loopbackIPv4(port: 0), .loopbackIPv6(port: 0), .unix(path), .unix("@linnet-connector-\(getpid())"),
    ]
    for listening in addresses {
      let listener = try Socket.listen(on: listening)
      let address = try #require(try Socket.localAddress(listener.raw))
      let connected = try await Connector.connect(to: [address], on: shard, deadline: soon())
      #expect(connected.peer == address)
      #expect(connected.failedAttempts.isEmpty)
      let client = connected.takeDescriptor()
      guard let server = try Socket.accept(listener.raw) else {
        Issue.record("no connection to accept at \(address)")
        continue
      }
      _ = try send(client.raw, [1, 2])
      #expect(try receive(server.raw) == [1, 2])
      _ = try send(server.raw, [3])
      #expect(try receive(client.raw) == [3])
    }
    try FileIO.remove(path)
  }

  @Test("A refused connection is an error that names the address and the cause")
  func refused() async throws {
    let address = try refusingAddress()
    let error = await #expect(throws: ConnectError.self) {
      try await Connector.connect(to: [address], on: shard, deadline: soon()).takeDescriptor().close()
    }
    #expect(error?.reason == .failed)
    #expect(
      error?.description == "connect failed: \(address): connect: Connection refused (ECONNREFUSED)")
  }

  @Test("A missing Unix socket and one without permission are told apart")
  func unixFailures() async throws {
    let missing = try SocketAddress.unix(temporaryPath("missing"))
    let error = await #expect(throws: ConnectError.self) {
      try await Connector.connect(to: [missing], on: shard, deadline: soon()).takeDescriptor().close()
    }
    #expect(error?.attempts.first?.cause?.number == ENOENT)
    #expect(error?.description.contains(missing.description) == true)
  }

  @Test("A first address that refuses costs nothing: the other family is tried at once", arguments: [true, false])
  func fallsBack(refusesIPv6: Bool) async throws {
    let listener = try Socket.listen(on: refusesIPv6 ? .loopbackIPv4(port: 0) : .loopbackIPv6(port: 0))
    let open = try #require(try Socket.localAddress(listener.raw))
    let closed = refusesIPv6 ? SocketAddress.loopbackIPv6(port: open.port) : .loopbackIPv4(port: open.port)
    // The stagger cannot have helped.
    var limits = HappyEyeballsMachine.Limits()
    limits.attemptDelay = .seconds(3600)
    let connected = try await Connector.connect(to: [closed, open], on: shard, deadline: soon(), limits: limits)
    #expect(connected.peer == open)
    #expect(connected.failedAttempts.map(\.address) == [closed])
    #expect(connected.failedAttempts.first?.cause?.isConnectionRefused == true)
    connected.takeDescriptor().close()
  }

  @Test("An address without a route does not delay the next one")
  func unreachable() async throws {
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0))
    let open = try #require(try Socket.localAddress(listener.raw))
    let unreachable = try #require(SocketAddress(numericHost: "100::1", port: open.port))
    let connected = try await Connector.connect(to: [unreachable, open], on: shard, deadline: soon())
    #expect(connected.peer == open)
    connected.takeDescriptor().close()
  }

  @Test("An address that hangs is overtaken by the next after the stagger, and its socket is closed")
  func overtakes() async throws {
    let full = try FullListener()
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0))
    let open = try #require(try Socket.localAddress(listener.raw))
    var limits = HappyEyeballsMachine.Limits()
    limits.attemptDelay = .milliseconds(20)
    let connected = try await Connector.connect(
      to: [full.address, open], on: shard, deadline: soon(), limits: limits)
    #expect(connected.peer == open)
    #expect(connected.failedAttempts == [ConnectAttempt(address: full.address, cause: nil)])
    #expect(try ownedSockets(toPort: full.address.port) == full.fillerCount)
    connected.takeDescriptor().close()
  }

  @Test("The deadline ends an attempt that hangs; the error lists every address")
  func deadline() async throws {
    let full = try FullListener()
    let closed = try refusingAddress()
    let start = shard.now
    let error = await #expect(throws: ConnectError.self) {
      try await Connector.connect(
        to: [closed, full.address], on: shard, deadline: start.advanced(by: .milliseconds(50))
      ).takeDescriptor().close()
    }
    #expect(error?.reason == .timedOut)
    #expect(error?.attempts.map(\.address) == [closed, full.address])
    #expect(error?.attempts.last?.cause == nil)
    #expect(start.duration(to: shard.now) >= .milliseconds(50))
    #expect(try ownedSockets(toPort: full.address.port) == full.fillerCount)
  }

  @Test("A deadline that has passed makes no attempt")
  func passedDeadline() async throws {
    let error = await #expect(throws: ConnectError.self) {
      try await Connector.connect(to: [.loopbackIPv4(port: 1)], on: shard, deadline: shard.now)
        .takeDescriptor().close()
    }
    #expect(error == ConnectError(reason: .timedOut, attempts: []))
  }

  @Test("No addresses is an error")
  func noAddresses() async {
    let error = await #expect(throws: ConnectError.self) {
      try await Connector.connect(to: [], on: shard, deadline: .distantFuture).takeDescriptor().close()
    }
    #expect(error?.reason == .noAddresses)
  }

  @Test("Cancelling at any moment returns at once and leaves no socket")
  func cancellation() async throws {
    let full = try FullListener()
    for round in 0..<200 {
      let task = Task { [address = full.address] in
        try await Connector.connect(to: [address], on: shard, deadline: .distantFuture).takeDescriptor().close()
      }
      for _ in 0..<(round % 20) { await Task.yield() }
      task.cancel()
      let result = await task.result
      #expect(throws: ConnectError.self) { try result.get() }
      if case .failure(let error as ConnectError) = result { #expect(error.reason == .cancelled) }
    }
    #expect(try ownedSockets(toPort: full.address.port) == full.fillerCount)
  }

  @Test("2,000 connections from many tasks, finished, refused and cancelled: every socket is closed once")
  func connectionChurn() async throws {
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0), backlog: 1024)
    let open = try #require(try Socket.localAddress(listener.raw))
    let closed = try refusingAddress()
    let accepting = ReadinessRecorder { [fd = listener.raw] _ in
      while let connection = try? Socket.accept(fd) { connection.close() }
    }
    let slot = try shard.register(listener.raw, receiver: accepting)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<20 {
        group.addTask {
          for round in 0..<100 {
            let shard = ShardGroup.shared.next()
            let task = Task {
              try await Connector.connect(
                to: round % 3 == 0 ? [closed] : [closed, open], on: shard, deadline: .distantFuture
              ).takeDescriptor().close()
            }
            if (worker + round) % 4 == 0 { task.cancel() }
            _ = await task.result
          }
        }
      }
    }
    shard.deregister(slot)
    #expect(try ownedSockets(toPort: open.port) == 0)
    #expect(try ownedSockets(toPort: closed.port) == 0)
  }

  @Test("A connection starts from the local address that was asked for")
  func localAddress() async throws {
    let listener = try Socket.listen(on: .loopbackIPv4(port: 0))
    let open = try #require(try Socket.localAddress(listener.raw))
    let connected = try await Connector.connect(
      to: [open], on: shard, deadline: soon(),
      options: SocketOptions(localAddress: SocketAddress(numericHost: "127.0.0.3", port: 0)))
    #expect(try Socket.localAddress(connected.raw)?.hostDescription == "127.0.0.3")
    connected.takeDescriptor().close()
  }
}
