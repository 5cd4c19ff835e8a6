extension ServerConnection {
  /// Runs raw steps in order.
  func run(_ effects: [SocketEffect]) throws(ConnectionEnd) {
    for effect in effects { try run(effect) }
  }

  private func run(_ effect: SocketEffect) throws(ConnectionEnd) {
    switch effect {
    case .readHead, .readBody, .readRequest, .readBytes, .readBodySlowly, .readUntilClosed: try read(effect)
    case .sendBytes, .sendPieces, .trickle, .split, .truncate, .sendPattern, .sendForever: try send(effect)
    case .wait(let gate): try stream.wait(for: gate)
    case .open(let gate): gate.open()
    case .pause(let duration): try stream.pause(duration)
    case .stall: try stream.stall()
    case .relay(let port, let gate): try stream.relay(toPort: port, first: reader.takeBuffered(), frozenBy: gate)
    case .halfClose: try stream.finishSending()
    case .close: try endWithClose()
    case .closeWithoutCloseNotify: throw ConnectionEnd(.serverClosed)
    case .reset: throw ConnectionEnd(.serverReset)
    case .repeatForever(let effects):
      // Steps that neither read nor send would spin without ever noticing a stop.
      while !core.isStopping { try run(effects) }
      throw ConnectionEnd(.stopped)
    case .repeated(let count, let effects):
      for _ in 0..<max(0, count) { try run(effects) }
    }
  }

  private func read(_ effect: SocketEffect) throws(ConnectionEnd) {
    switch effect {
    case .readHead:
      guard try readHead() else { throw ConnectionEnd(.peerClosed) }
    case .readBody: try readBody()
    case .readRequest:
      guard try readHead() else { throw ConnectionEnd(.peerClosed) }
      try readBody()
    case .readBytes(let count): try reader.readBytes(count, from: stream)
    case .readBodySlowly(let bytes, let every): try readBody(pace: (max(1, bytes), every))
    default:
      try stream.discardUntilClosed()
      throw ConnectionEnd(.peerClosed)
    }
  }

  private func send(_ effect: SocketEffect) throws(ConnectionEnd) {
    switch effect {
    case .sendBytes(let bytes): try stream.send(bytes)
    case .sendPieces(let pieces):
      for piece in pieces { try stream.send(piece) }
    case .trickle(let bytes, let every):
      for byte in bytes {
        try stream.send([byte])
        if let every { try stream.pause(every) }
      }
    case .split(let bytes, let position, let gate):
      try stream.send(bytes.prefix(max(0, position)))
      try stream.wait(for: gate)
      try stream.send(bytes.dropFirst(max(0, position)))
    case .truncate(let bytes, let count):
      try stream.send(bytes.prefix(max(0, count)))
      try endWithClose()
    case .sendPattern(let count):
      var left = count
      while left > 0 {
        let length = Int(min(left, UInt64(TestPattern.block.count)))
        try stream.send(TestPattern.block[..<length])
        left -= UInt64(length)
      }
    default:
      while true { try stream.send(TestPattern.block) }
    }
  }
}
