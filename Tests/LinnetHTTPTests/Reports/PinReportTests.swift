import LinnetHTTP
import LinnetTestSupport
import Testing

/// User reports about pinned keys.
@Suite("Reports: pinned keys", .timeLimit(.minutes(1)))
struct PinReportTests {
  private func client(
    _ wire: Wire, _ pins: [TestCertificate], verifiesPeer: Bool = true,
    _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) throws -> HTTPClient {
    let pins = try PublicKeyPin.list(pins.map(\.publicKeyPin).joined(separator: ";"))
    return wire.client { configuration in
      configuration.tls.pinnedPublicKeys = pins
      configuration.tls.verifiesPeer = verifiesPeer
      change(&configuration)
    }
  }

  @Test(
    "TLS-11: a request passes when any pin is the server's key, also when only the second is",
    arguments: WireProtocol.secure)
  func match(version: WireProtocol) async throws {
    let wire = try Wire(version)
    let certificates = try #require(wire.certificates)
    let own = try #require(wire.options.tls?.certificate)
    let server = try wire.start(.handler { _ in .text("pinned") })
    defer { server.stop() }
    let backup = try certificates.loopback()
    for pins in [[own], [backup, own]] {
      for verifiesPeer in [true, false] {
        let client = try client(wire, pins, verifiesPeer: verifiesPeer)
        #expect(try await client.send(.get(server.url())).text() == "pinned")
      }
    }
    #expect(server.snapshot.requests.allSatisfy { $0.came(over: version) })
  }

  @Test(
    "TLS-11: another key of the same authority is refused with the observed pin and the host, and nothing is sent",
    arguments: WireProtocol.secure, [true, false])
  func mismatch(version: WireProtocol, verifiesPeer: Bool) async throws {
    let wire = try Wire(version)
    let own = try #require(wire.options.tls?.certificate)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let other = try #require(try wire.certificates?.loopback())
    let client = try client(wire, [other], verifiesPeer: verifiesPeer)
    let error = try #require(await client.failure(of: .get(server.url())))
    #expect(error.code == .publicKeyNotPinned)
    #expect(error.phase == .tls)
    #expect(error.sent == .nothing)
    #expect(error.description.contains(own.publicKeyPin))
    #expect(error.reason.contains("127.0.0.1"))
    #expect(server.snapshot.headCount == 0)
  }

  @Test("TLS-11: resumed connections keep to the pins", arguments: WireProtocol.secure)
  func resumption(version: WireProtocol) async throws {
    let wire = try Wire(version)
    let own = try #require(wire.options.tls?.certificate)
    let server = try wire.start(.handler { _ in .text("pinned") })
    defer { server.stop() }
    let client = try client(wire, [own]) { $0.pool.maximumAge = .nanoseconds(1) }
    for _ in 0..<3 { #expect(try await client.send(.get(server.url())).text() == "pinned") }
    #expect(server.snapshot.requests.map { $0.tls?.isResumed } == [false, true, true])
  }

  @Test("TLS-11: a key that is pinned does not replace the check of the certificate")
  func notInstead() async throws {
    let wire = try Wire(.http1TLS)
    let own = try #require(wire.options.tls?.certificate)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let client = try client(wire, [own]) { $0.tls.trustRoots = .only([]) }
    #expect(await client.failure(of: .get(server.url()))?.code == .certificateRejected)
  }
}
