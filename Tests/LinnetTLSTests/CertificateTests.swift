import LinnetTLS
import Testing

@Suite("Certificates")
struct CertificateTests {
  @Test("a generated certificate reads back as it was asked for, from DER and PEM")
  func fields() throws {
    let authority = try CertificateFactory.authority(commonName: "The CA")
    let server = try CertificateFactory.server(
      dnsNames: ["a.test", "*.b.test"], ipAddresses: ["10.0.0.1", "2001:db8::7"], commonName: "Grüße",
      validity: .absolute(notBefore: 1_000_000_000, notAfter: 2_000_000_000), issuer: authority)
    let certificate = server.certificate
    #expect(certificate.subject == "CN=Grüße" && certificate.issuer == "CN=The CA")
    #expect(certificate.dnsNames == ["a.test", "*.b.test"])
    #expect(certificate.ipAddresses == ["10.0.0.1", "2001:db8::7"])
    #expect(certificate.notBefore == 1_000_000_000 && certificate.notAfter == 2_000_000_000)
    #expect(try Certificate(der: certificate.der) == certificate)
    #expect(
      try Certificate.load(.text(server.chainPEM + authority.certificatePEM)) == [certificate, authority.certificate])
    #expect(try Certificate.load(.bytes(certificate.der)) == [certificate])
  }

  @Test("the pin is over the public key: it stays when a certificate is made anew, and differs between keys")
  func pins() throws {
    let one = try CertificateFactory.server(dnsNames: ["a.test"], issuer: nil).certificate
    let two = try CertificateFactory.server(dnsNames: ["a.test"], issuer: nil).certificate
    #expect(one.publicKeyDigest.count == 32 && one.publicKeyDigest != two.publicKeyDigest)
    #expect(one.pin.hasPrefix("sha256//") && one.pin.count == 8 + 44)
  }

  @Test("the pin of a known certificate is what OpenSSL's command line computes")
  func knownPin() throws {
    let certificate = try #require(try Certificate.load(.text(Self.known)).first)
    #expect(certificate.pin == "sha256//w6mgA//ZxJoIQH4H1Elb+8cv1ik0N5JxV4xxSiMbUp0=")
    #expect(certificate.dnsNames == ["known.test"])
  }

  @Test(
    "addresses are written in their short form (RFC 5952)",
    arguments: ["::", "::1", "1::", "2001:db8::1:0:0:1", "2001:0:0:1::1", "1:2:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"])
  func addressText(address: String) throws {
    let certificate = try CertificateFactory.server(ipAddresses: [address], issuer: nil).certificate
    #expect(certificate.ipAddresses == [address])
  }

  @Test("bytes that are no certificate are refused")
  func garbage() {
    for bytes in [[], [0x30], [0x30, 0x82, 0xFF, 0xFF], Array("text".utf8)] as [[UInt8]] {
      #expect(throws: TLSError.self) { try Certificate(der: bytes) }
      #expect(throws: TLSError.self) { try Certificate.load(.bytes(bytes)) }
    }
  }

  @Test("names that could mean something else in an extension are refused", arguments: ["a,DNS:b", "a b", "a\nb", "ü"])
  func names(name: String) {
    #expect(throws: TLSError.self) { try CertificateFactory.server(dnsNames: [name], issuer: nil) }
  }

  private static let known = """
    -----BEGIN CERTIFICATE-----
    MIIBizCCATKgAwIBAgIUEIDxDUWRolyzor/ammZFwcp5dkYwCgYIKoZIzj0EAwIw
    EDEOMAwGA1UEAwwFa25vd24wHhcNMjYxMTMwMjMxNzI1WhcNMzYxMTI3MjMxNzI1
    WjAQMQ4wDAYDVQQDDAVrbm93bjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAJy
    SVBWN4tCXnwxciKcfTXiW0TlfaNSVwyuK9QjFhnUbX677hvCYfbIohXXeNdNvVzk
    qzTbQJdNhRgtYAm0khKjajBoMB0GA1UdDgQWBBRv3hlYm3Dq8giR22jFwgdTWs3k
    3TAfBgNVHSMEGDAWgBRv3hlYm3Dq8giR22jFwgdTWs3k3TAPBgNVHRMBAf8EBTAD
    AQH/MBUGA1UdEQQOMAyCCmtub3duLnRlc3QwCgYIKoZIzj0EAwIDRwAwRAIgNLH1
    MreGlir9ssvVvL5jvUfIfHW3Qj+99zJNZKe5NZICIHdFmdQmfCjWq41yZwsi2clX
    tCZOvOJ1Rx+CfaFX+sec
    -----END CERTIFICATE-----
    """
}
