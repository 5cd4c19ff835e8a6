import Glibc
import LinnetBytes
import LinnetIO
import Testing

@Suite struct SyscallsTests {
  @Test("Receiving tells bytes, nothing yet, and the end apart")
  func receiveResults() throws {
    let (left, right) = try Socket.pair()
    #expect(try receive(left) == nil)
    #expect(try send(right, [1, 2, 3]) == .bytes(3))
    #expect(try receive(left, limit: 0) == [])
    #expect(try receive(left) == [1, 2, 3])
    closeRaw(right)
    #expect(try receive(left) == [])
    #expect(try receive(left, limit: 0) == [])
    closeRaw(left)
  }

  @Test("Sending to a peer that is gone is an error and no signal")
  func brokenPipe() throws {
    let (left, right) = try Socket.pair()
    closeRaw(right)
    #expect(throws: SystemError(number: EPIPE, call: "send")) { try send(left, [1]) }
    closeRaw(left)
  }

  @Test("A full socket would block")
  func fullSocket() throws {
    let (left, right) = try Socket.pair()
    let block = [UInt8](repeating: 7, count: 65_536)
    var sent = 0
    while case .bytes(let count) = try send(left, block) { sent += count }
    #expect(sent > 0)
    var received = 0
    while let bytes = try receive(right, limit: 65_536) { received += bytes.count }
    #expect(received == sent)
    closeRaw(left)
    closeRaw(right)
  }

  @Test("An error says the call, the text and the name")
  func errorText() {
    let error = SystemError(number: ECONNREFUSED, call: "connect")
    #expect(error.description == "connect: Connection refused (ECONNREFUSED)")
    #expect(SystemError(number: 4095, call: "x").name == "errno 4095")
    #expect(error != SystemError(number: ECONNREFUSED, call: "send"))
  }

  @Test("A descriptor is closed by the end of its scope, by close, and not by release")
  func ownership() throws {
    let (left, right) = try Socket.pair()
    do { _ = OwnedDescriptor(owning: left) }
    #expect(fcntl(left, F_GETFD) == -1)
    let owned = OwnedDescriptor(owning: right)
    let released = owned.release()
    #expect(fcntl(released, F_GETFD) == FD_CLOEXEC)
    OwnedDescriptor(owning: released).close()
    #expect(fcntl(released, F_GETFD) == -1)
  }

  @Test("Sockets are non-blocking, close-on-exec and have the options asked for")
  func socketOptions() throws {
    let socket = try Socket.make(
      for: .loopbackIPv4(port: 1),
      options: SocketOptions(keepAliveSeconds: 60, localAddress: SocketAddress(numericHost: "127.0.0.2", port: 0)))
    #expect(fcntl(socket.raw, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(socket.raw, F_GETFD) & FD_CLOEXEC != 0)
    #expect(try Socket.localAddress(socket.raw)?.hostDescription == "127.0.0.2")
    for (level, option) in [(CInt(IPPROTO_TCP), TCP_NODELAY), (SOL_SOCKET, SO_KEEPALIVE)] {
      var value: CInt = 0
      var length = socklen_t(MemoryLayout<CInt>.size)
      getsockopt(socket.raw, level, option, &value, &length)
      #expect(value != 0)
    }
  }

  @Test("Pending input and a close are seen without consuming anything")
  func pendingInput() throws {
    let (left, right) = try Socket.pair()
    #expect(!Socket.hasPendingInput(left))
    _ = try send(right, [9])
    #expect(Socket.hasPendingInput(left))
    #expect(try receive(left) == [9])
    closeRaw(right)
    #expect(Socket.hasPendingInput(left))
    closeRaw(left)
  }
}

#if DEBUG
  @Suite struct SyscallFaultsTests {
    /// Fails the `n`th use of `call` in a task, and lets all else pass.
    static func failing(_ call: String, nth: Int, with number: CInt) -> SyscallFaults.Hook {
      let seen = Lock(0)
      return { name, _ in
        guard name == call else { return nil }
        let count = seen.withLock { seen in
          seen += 1
          return seen
        }
        return count == nth ? .fail(number) : nil
      }
    }

    @Test(
      "EINTR is retried by every transfer and call", arguments: ["send", "recv", "pread", "pwrite", "fsync", "open"])
    func interrupted(call: String) async throws {
      let path = temporaryPath("eintr")
      try await SyscallFaults.during(Self.failing(call, nth: 1, with: EINTR)) {
        let (left, right) = try Socket.pair()
        #expect(try send(right, [1, 2]) == .bytes(2))
        #expect(try receive(left) == [1, 2])
        closeRaw(left)
        closeRaw(right)
        try FileIO.replace(path, with: [4, 5, 6])
        #expect(try FileIO.readAll(path, limit: 10) == [4, 5, 6])
      }
      try FileIO.remove(path)
    }

    @Test("A short transfer moves a part; a fault on one descriptor does not touch another")
    func shortTransfers() throws {
      let (left, right) = try Socket.pair()
      SyscallFaults.set({ call, _ in call == "send" ? .limit(1) : nil }, for: left)
      #expect(try send(left, [1, 2, 3]) == .bytes(1))
      #expect(try send(right, [1, 2, 3]) == .bytes(3))
      SyscallFaults.set({ call, _ in call == "send" ? .fail(EAGAIN) : .fail(ECONNRESET) }, for: left)
      #expect(try send(left, [1, 2, 3]) == .wouldBlock)
      #expect(throws: SystemError(number: ECONNRESET, call: "recv")) { try receive(left) }
      SyscallFaults.set(nil, for: left)
      #expect(try receive(left) == [1, 2, 3])
      closeRaw(left)
      closeRaw(right)
    }

    @Test(
      "Replacing a file: each call that fails gives its error, and neither the file nor a temporary one is left changed",
      arguments: [("open", 1), ("pwrite", 1), ("fsync", 1), ("rename", 1)])
    func failedReplace(call: String, nth: Int) async throws {
      let directory = temporaryPath("replace")
      try FileIO.makeDirectory(directory)
      let path = directory + "/file"
      try FileIO.replace(path, with: [1])
      await #expect(throws: SystemError.self) {
        try await SyscallFaults.during(Self.failing(call, nth: nth, with: ENOSPC)) {
          try FileIO.replace(path, with: [2])
        }
      }
      #expect(try FileIO.readAll(path, limit: 10) == [1])
      try FileIO.remove(path)
      // Fails when a temporary file is left.
      #expect(rmdir(directory) == 0)
    }

    @Test(
      "Connecting: each call that fails gives a typed error with its cause, and no socket is left",
      arguments: ["socket", "setsockopt", "connect", "getsockopt"])
    func failedConnect(call: String) async throws {
      let listener = try Socket.listen(on: .loopbackIPv4(port: 0))
      let address = try #require(try Socket.localAddress(listener.raw))
      let shard = ShardGroup.shared.next()
      let error = await #expect(throws: ConnectError.self) {
        try await SyscallFaults.during(Self.failing(call, nth: 1, with: EMFILE)) {
          let connected = try await Connector.connect(to: [address], on: shard, deadline: .distantFuture)
          connected.takeDescriptor().close()
        }
      }
      #expect(error?.reason == .failed)
      #expect(error?.attempts.map(\.cause?.number) == [EMFILE])
      #expect(try ownedSockets(toPort: address.port) == 0)
    }

    @Test("Connecting: a registration that fails closes the socket")
    func failedRegistration() async throws {
      let full = try FullListener()
      let shard = ShardGroup.shared.next()
      let error = await #expect(throws: ConnectError.self) {
        try await SyscallFaults.during(Self.failing("epoll_ctl", nth: 1, with: ENOSPC)) {
          let connected = try await Connector.connect(to: [full.address], on: shard, deadline: .distantFuture)
          connected.takeDescriptor().close()
        }
      }
      #expect(error?.attempts.first?.cause == SystemError(number: ENOSPC, call: "epoll_ctl"))
      #expect(try ownedSockets(toPort: full.address.port) == full.fillerCount)
    }

    @Test("A shard that finds no descriptor for its epoll set says so, and works later")
    func lateOpening() async throws {
      let shard = IOShard(label: "test.emfile")
      let (left, right) = try Socket.pair()
      for call in ["epoll_create1", "eventfd"] {
        await #expect(throws: SystemError.self) {
          try await SyscallFaults.during(Self.failing(call, nth: 1, with: EMFILE)) {
            let slot = try shard.register(left, receiver: ReadinessRecorder())
            shard.deregister(slot)
          }
        }
      }
      let recorder = ReadinessRecorder()
      let slot = try shard.register(left, receiver: recorder)
      #expect(await recorder.mailbox.next() == .writable)
      shard.deregister(slot)
      await shard.shutDown()
      closeRaw(left)
      closeRaw(right)
    }
  }
#endif
