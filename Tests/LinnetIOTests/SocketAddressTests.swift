import Glibc
import LinnetIO
import Testing

@Suite struct SocketAddressTests {
  @Test(
    "Numeric hosts are recognised and written in their canonical form",
    arguments: [
      ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("255.1.2.3", "255.1.2.3:80"), ("::1", "[::1]:80"),
      ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"), ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:80"),
      ("fe80::1%1", "[fe80::1%1]:80"), ("fe80::1%lo", "[fe80::1%1]:80"),
    ])
  func numeric(host: String, expected: String) {
    #expect(SocketAddress(numericHost: host, port: 80)?.description == expected)
  }

  @Test(
    "What is not an address in numbers is a name",
    arguments: [
      "", "localhost", "127.1", "0x7f.1", "256.0.0.1", "1.2.3.4.5", ":::", "[::1]", "fe80::1%", "fe80::1%none9",
    ])
  func names(host: String) {
    #expect(SocketAddress(numericHost: host, port: 80) == nil)
  }

  @Test("A path of 107 bytes fits, one of 108 does not")
  func pathLength() throws {
    let fits = "/" + String(repeating: "x", count: 106)
    #expect(try SocketAddress.unix(fits).description == "unix:" + fits)
    #expect(throws: SocketAddressError.pathTooLong(bytes: 108, limit: 107)) { try SocketAddress.unix(fits + "x") }
    #expect(throws: SocketAddressError.pathTooLong(bytes: 108, limit: 107)) {
      try SocketAddress.unix("@" + String(repeating: "x", count: 108))
    }
    #expect(try SocketAddress.unix("@" + fits).family == .unix)
  }

  @Test("An empty path and one with a zero byte are refused")
  func badPaths() {
    #expect(throws: SocketAddressError.emptyPath) { try SocketAddress.unix("") }
    #expect(throws: SocketAddressError.emptyPath) { try SocketAddress.unix("@") }
    #expect(throws: SocketAddressError.containsZeroByte) { try SocketAddress.unix("/a\0b") }
  }

  @Test("An address survives the kernel")
  func roundTrips() throws {
    var paths = ["@linnet-test-\(getpid())", temporaryPath("socket")]
    paths.append(temporaryPath(String(repeating: "y", count: 107 - paths[1].utf8.count)))
    for address in try [.loopbackIPv4(port: 0), .loopbackIPv6(port: 0)] + paths.map(SocketAddress.unix) {
      let listener = try Socket.listen(on: address)
      let bound = try #require(try Socket.localAddress(listener.raw))
      #expect(bound.withPort(0) == address)
      #expect(address.family == .unix || bound.port != 0)
      let client = try Socket.make(for: bound)
      _ = try Socket.connect(client.raw, to: bound)
      #expect(try Socket.peerAddress(client.raw) == bound)
    }
    for path in paths where path.hasPrefix("/") { try FileIO.remove(path) }
  }

  @Test("Loopback is recognised in both families")
  func loopback() {
    #expect(SocketAddress(numericHost: "127.9.9.9", port: 1)?.isLoopback == true)
    #expect(SocketAddress(numericHost: "::1", port: 1)?.isLoopback == true)
    #expect(SocketAddress(numericHost: "192.0.2.1", port: 1)?.isLoopback == false)
    #expect(SocketAddress(numericHost: "::2", port: 1)?.isLoopback == false)
  }
}
