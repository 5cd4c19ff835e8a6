package import LinnetBytes
internal import LinnetHTTPTypes

/// CONNECT by SOCKS 5 (RFC 1928), with user name and password if there are any (RFC 1929).
///
/// **Theory of operation.** Three questions and answers in a row, each written when the one before is answered:
///
/// | State | Written | Answer | Then |
/// | --- | --- | --- | --- |
/// | greeting | `05 n methods` | `05 method` | authenticating, or connecting |
/// | authenticating | `01 name password` | `01 status` | connecting |
/// | connecting | `05 01 00 address port` | `05 reply 00 address port` | established |
///
/// Nothing is written ahead of an answer: what a proxy may drop must not be in flight. The last answer is taken to its exact
/// length, because the next byte is the target's; so no answer is awaited longer than its fields say, and none needs a limit
/// of its own: the longest has 262 bytes.
package struct SOCKS5Machine: ~Copyable, Sendable, ProxyHandshake {
  private enum State {
    /// Nothing was written. Exits: greeting.
    case initial
    /// The methods were offered. Exits: authenticating, connecting, failed.
    case greeting
    /// Name and password were sent. Exits: connecting, failed.
    case authenticating
    /// The target was named. Exits: established, failed.
    case connecting
    /// What is buffered is the target's. Final.
    case established
    /// Final.
    case failed(ProxyHandshakeError)
  }

  private let target: ProxyTarget
  private let credentials: SOCKSCredentials?
  private var state = State.initial
  private var buffer = ReadBuffer()
  private var hasEnded = false
  /// Whether any byte came; tells a proxy that hangs up from one that breaks off.
  private var hasHeard = false

  /// - Throws: ``ProxyHandshakeError/unsendableName``, ``ProxyHandshakeError/unsendableCredentials``. Empty credentials are
  ///   sent although RFC 1929 asks for one byte at least: curl does, and proxies judge them.
  package init(target: ProxyTarget, credentials: SOCKSCredentials? = nil) throws(ProxyHandshakeError) {
    try target.admitForSOCKS()
    if let credentials, credentials.user.count > 255 || credentials.password.count > 255 {
      throw .unsendableCredentials
    }
    self.target = target
    self.credentials = credentials
  }

  package mutating func receive(_ bytes: Span<UInt8>) {
    if case .failed = state { return }
    hasHeard = hasHeard || !bytes.isEmpty
    buffer.append(bytes)
  }

  package mutating func receiveEOF() { hasEnded = true }

  package mutating func nextEvent(into out: inout WriteBuffer) throws(ProxyHandshakeError) -> ProxyHandshakeEvent {
    while true {
      switch state {
      case .initial:
        writeGreeting(into: &out)
        state = .greeting
      case .greeting:
        guard let method = try answer(version: 5) else { return try needMoreData() }
        buffer.consume(2)
        try choose(method, into: &out)
      case .authenticating:
        // The version of the answer is not looked at: servers are about that send 5 in place of 1, and curl takes them.
        guard let status = buffer[1] else { return try needMoreData() }
        buffer.consume(2)
        guard status == 0 else { throw fail(.authenticationFailed) }
        writeRequest(into: &out)
      case .connecting:
        guard try readReply() else { return try needMoreData() }
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

  // MARK: Requests

  private func writeGreeting(into out: inout WriteBuffer) {
    out.append(bytes: credentials == nil ? [5, 1, Method.none] : [5, 2, Method.none, Method.password])
  }

  private mutating func choose(_ method: UInt8, into out: inout WriteBuffer) throws(ProxyHandshakeError) {
    switch (method, credentials) {
    case (Method.none, _):
      writeRequest(into: &out)
    case (Method.password, let credentials?):
      out.append(byte: 1)
      Self.appendCounted(credentials.user, to: &out)
      Self.appendCounted(credentials.password, to: &out)
      state = .authenticating
    case (Method.unacceptable, nil):
      throw fail(.authenticationRequired)
    case (Method.unacceptable, _):
      throw fail(.noAcceptableMethod)
    case (let other, _):
      throw fail(.methodNotOffered(other))
    }
  }

  private mutating func writeRequest(into out: inout WriteBuffer) {
    out.append(bytes: [5, Command.connect, 0])
    switch target.host {
    case .name(let name):
      out.append(byte: AddressType.name)
      Self.appendCounted(Array(name.utf8), to: &out)
    case .address(let address):
      out.append(byte: address.family == .v4 ? AddressType.v4 : AddressType.v6)
      out.append(bytes: address.bytes)
    }
    out.append(bytes: [UInt8(target.port >> 8), UInt8(truncatingIfNeeded: target.port)])
    state = .connecting
  }

  /// At most 255 bytes, as `init` has checked.
  private static func appendCounted(_ bytes: [UInt8], to out: inout WriteBuffer) {
    out.append(byte: UInt8(clamping: bytes.count))
    out.append(bytes: bytes.prefix(255))
  }

  // MARK: Answers

  /// The second byte of an answer whose first must be `version`, which is judged as soon as it is there.
  private mutating func answer(version: UInt8) throws(ProxyHandshakeError) -> UInt8? {
    guard let first = buffer[0] else { return nil }
    guard first == version else { throw fail(.wrongVersion(.socks5, first)) }
    return buffer[1]
  }

  /// - Returns: Whether the answer is complete; it is consumed then, to the byte.
  private mutating func readReply() throws(ProxyHandshakeError) -> Bool {
    guard let reply = try answer(version: 5) else { return false }
    // A proxy that refuses may close without the rest.
    guard reply == 0 else { throw fail(.refused(.socks5(reply))) }
    guard let type = buffer[3] else { return false }
    let addressBytes: Int
    switch type {
    case AddressType.v4: addressBytes = 4
    case AddressType.v6: addressBytes = 16
    case AddressType.name:
      guard let count = buffer[4] else { return false }
      addressBytes = 1 + Int(count)
    default: throw fail(.invalidAddressType(type))
    }
    let length = 4 + addressBytes + 2
    guard buffer.count >= length else { return false }
    buffer.consume(length)
    return true
  }

  private mutating func needMoreData() throws(ProxyHandshakeError) -> ProxyHandshakeEvent {
    guard hasEnded else { return .needMoreData }
    throw fail(hasHeard ? .truncatedReply : .emptyReply)
  }

  private mutating func fail(_ error: ProxyHandshakeError) -> ProxyHandshakeError {
    state = .failed(error)
    buffer.removeAll(keepingCapacity: false)
    return error
  }

  private enum Method {
    static var none: UInt8 { 0 }
    static var password: UInt8 { 2 }
    static var unacceptable: UInt8 { 0xFF }
  }

  private enum Command {
    static var connect: UInt8 { 1 }
  }

  private enum AddressType {
    static var v4: UInt8 { 1 }
    static var name: UInt8 { 3 }
    static var v6: UInt8 { 4 }
  }
}
