#if DEBUG
  import Glibc
  import LinnetBytes
  import LinnetHTTP
  import LinnetIO
  import LinnetTestSupport
  import Testing

  /// A connection that ends while a body is sent. The system tells of a reset once, to whichever call comes first; the error
  /// does not depend on which that is.
  @Suite("Lost connections", .timeLimit(.minutes(1)))
  struct LostConnectionTests {
    /// Who hears of the end first.
    enum Notice: CaseIterable, Sendable {
      /// A write, to which the reset is told; the read behind it finds no more than an end.
      case writing
      /// A read, while there is nothing to write.
      case reading
      /// The server closed in order.
      case closed
    }

    private static func waitForHangUp(_ fd: CInt) {
      var event = pollfd(fd: fd, events: 0, revents: 0)
      // A look that takes nothing away. The limit is only a guard against a hanging test.
      for _ in 0..<1000 where event.revents & Int16(POLLHUP) == 0 { poll(&event, 1, 10) }
    }

    @Test(
      "OBS-03: a connection that ends while the body is sent is lost in the sending, whoever notices",
      arguments: WireProtocol.allCases, Notice.allCases)
    func whileSending(over version: WireProtocol, _ notice: Notice) async throws {
      let hasHead = Gate()
      let isWriting = Gate()
      let wire = try Wire(version)
      let ending: SocketEffect = notice == .closed ? .close : .reset
      let steps: [SocketEffect] =
        notice == .writing ? [.open(hasHead), .wait(isWriting), ending] : [.open(hasHead), ending]
      let server = try wire.start(.handler(onHead: { _ in .respond(.raw(steps + [.stall])) }) { _ in .never })
      defer { server.stop() }
      let client = wire.client()
      let count = Lock(0)
      let never = Gate()
      let body = HTTPRequestBody.stream {
        AsyncStream<ByteChunk>(unfolding: {
          let number = count.withLock { count in
            count += 1
            return count
          }
          if number > 1 { try? await (notice == .writing ? hasHead : never).opened(within: .seconds(60)) }
          return ByteChunk([UInt8](repeating: 1, count: 1000))
        })
      }
      // Within a call to the system the connection's lock is held, so nobody else can hear of it.
      let hook: SyscallFaults.Hook = { call, fd in
        guard call == "send", notice == .writing, hasHead.isOpen, !isWriting.isOpen else { return nil }
        isWriting.open()
        Self.waitForHangUp(fd)
        return nil
      }
      let request = HTTPRequest.post(server.url("/"), body: body)
      let error = await SyscallFaults.during(hook) { await client.failure(of: request) }
      #expect(error?.code == .connectionLost)
      #expect(error?.phase == .send)
      #expect(error?.sent == .maybe)
      if notice != .closed { #expect(error?.reason == "the server reset the connection") }
      await client.shutdown(grace: .zero)
    }
  }
#endif
