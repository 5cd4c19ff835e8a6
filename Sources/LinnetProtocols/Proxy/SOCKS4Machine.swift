package import LinnetBytes
internal import LinnetHTTPTypes

/// CONNECT by SOCKS 4, and by its extension 4a for names that the proxy resolves.
///
/// **Theory of operation.** One question, `04 01 port address user-id 00`, and one answer of 8 bytes of which two say
/// something. The address of a name is `0.0.0.1`, and the name follows the user id (4a). An IPv6 address is sent as a
/// name: SOCKS 4 has no other place for it. The answer is taken to its exact length, because the next byte is the target's.
package struct SOCKS4Machine: ~Copyable, Sendable, ProxyHandshake {
  private enum State {
    /// Nothing was written. Exits: connecting.
    case initial
    /// The target was named. Exits: established, failed.
    case connecting
    /// What is buffered is the target's. Final.
    case established
    /// Final.
    case failed(ProxyHandshakeError)
  }

  private let target: ProxyTarget
  private let userID: [UInt8]
  private var state = State.initial
  private var buffer = ReadBuffer()
  private var hasEnded = false

  /// - Parameters:
  ///   - target: Where the tunnel shall lead.
  ///   - userID: Empty, as curl's, when there is none. It is no secret to the proxy's side and is not a password.
  /// - Throws: ``ProxyHandshakeError/unsendableName``, ``ProxyHandshakeError/unsendableCredentials``. The 255
  ///   bytes that user ids may have are curl's and RFC 1929's.
  package init(target: ProxyTarget, userID: [UInt8] = []) throws(ProxyHandshakeError) {
    try target.admitForSOCKS()
    guard userID.count <= 255, !userID.contains(0) else { throw .unsendableCredentials }
    self.target = target
    self.userID = userID
  }

  package mutating func receive(_ bytes: Span<UInt8>) {
    if case .failed = state { return }
    buffer.append(bytes)
  }

  package mutating func receiveEOF() { hasEnded = true }

  package mutating func nextEvent(into out: inout WriteBuffer) throws(ProxyHandshakeError) -> ProxyHandshakeEvent {
    while true {
      switch state {
      case .initial:
        writeRequest(into: &out)
        state = .connecting
      case .connecting:
        guard try readReply() else {
          guard hasEnded else { return .needMoreData }
          throw fail(buffer.isEmpty ? .emptyReply : .truncatedReply)
        }
        state = .established
      case .established:
        return .established
      case .failed(let error):
        throw error
      }
    }
  }

  package mutating func takeLeftover() -> ByteChunk {
    guard case .established = state else { return ByteChunk() }
    return buffer.takeChunk(buffer.count)
  }

  private func writeRequest(into out: inout WriteBuffer) {
    out.append(bytes: [4, 1, UInt8(target.port >> 8), UInt8(truncatingIfNeeded: target.port)])
    var name: [UInt8]?
    switch target.host {
    // Addresses of 0.0.0.0/24 are the mark of a name to a 4a proxy.
    case .address(let address) where address.family == .v4 && address.bytes.prefix(3) != [0, 0, 0]:
      out.append(bytes: address.bytes)
    case .address(let address): name = Array(address.description.utf8)
    case .name(let text): name = Array(text.utf8)
    }
    if name != nil { out.append(bytes: [0, 0, 0, 1]) }
    out.append(bytes: userID)
    out.append(byte: 0)
    if let name {
      out.append(bytes: name)
      out.append(byte: 0)
    }
  }

  /// - Returns: Whether the answer is complete; it is consumed then, to the byte.
  private mutating func readReply() throws(ProxyHandshakeError) -> Bool {
    guard let version = buffer[0] else { return false }
    guard version == 0 else { throw fail(.wrongVersion(.socks4, version)) }
    guard let code = buffer[1] else { return false }
    guard code == Self.granted else { throw fail(.refused(.socks4(code))) }
    guard buffer.count >= 8 else { return false }
    buffer.consume(8)
    return true
  }

  private mutating func fail(_ error: ProxyHandshakeError) -> ProxyHandshakeError {
    state = .failed(error)
    buffer.removeAll(keepingCapacity: false)
    return error
  }

  private static var granted: UInt8 { 90 }
}
