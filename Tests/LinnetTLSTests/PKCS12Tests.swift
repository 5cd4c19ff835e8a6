import LinnetBytes
import LinnetTLS
import LinnetTestRandom
import Testing

@Suite("PKCS #12 identities")
struct PKCS12Tests {
  private func error(_ body: () throws(TLSError) -> Void) -> TLSError? {
    do throws(TLSError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func opening(_ identity: TLSIdentity) -> TLSError? {
    var settings = TLSSettings()
    settings.trust = .only([])
    settings.identity = identity
    return error { () throws(TLSError) in _ = try TLSContext(settings, role: .client) }
  }

  @Test(
    "a store gives key, certificate and chain, the chain in the order of TLS", arguments: TLSVersion.allCases,
    ["open sesame", ""])
  func identity(version: TLSVersion, passphrase: String) throws {
    let fixture = try TLSFixture()
    let root = try CertificateFactory.authority(commonName: "Clients' root")
    let upper = try CertificateFactory.authority(commonName: "Upper", issuer: root)
    let lower = try CertificateFactory.authority(commonName: "Lower", issuer: upper)
    let client = try CertificateFactory.client(commonName: "Ada", issuer: lower)
    let file = TemporaryFile(try client.pkcs12(passphrase: passphrase))
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    settings.identity = TLSIdentity(pkcs12: .file(file.path), passphrase: passphrase.isEmpty ? nil : passphrase)
    var serverSettings = fixture.serverSettings
    serverSettings.requiresClientCertificate = true
    serverSettings.trust = .only([root.trust])
    var pair = try TLSPair(
      client: TLSContext(settings, role: .client), server: TLSContext(serverSettings, role: .server))
    #expect(pair.shakeHands() == (nil, nil))
    #expect(
      try pair.server.peerCertificates() == [client.certificate, lower.certificate, upper.certificate])
  }

  @Test("a wrong passphrase, and none where one is needed, are errors that name the file and not the passphrase")
  func wrongPassphrase() throws {
    let client = try CertificateFactory.client(issuer: try CertificateFactory.authority())
    let file = TemporaryFile(try client.pkcs12(passphrase: "open sesame"))
    let wrong = try #require(opening(TLSIdentity(pkcs12: .file(file.path), passphrase: "barley")))
    #expect(wrong.code == .configuration(subject: file.path))
    #expect(wrong.area == .identity)
    #expect(wrong.description == "\(file.path): the passphrase does not open it")
    let none = try #require(opening(TLSIdentity(pkcs12: .file(file.path))))
    #expect(none.detail == "it is encrypted, and no passphrase was given")
    let cut = try #require(opening(TLSIdentity(pkcs12: .file(file.path), passphrase: "open sesame\0")))
    #expect(cut.detail == "the passphrase has a NUL character")
  }

  @Test("what is no store, or is cut short, is an error; nothing traps")
  func garbage() throws {
    let store = try CertificateFactory.client(issuer: try CertificateFactory.authority()).pkcs12(passphrase: "x")
    for length in 0..<store.count {
      let cut = TLSIdentity(pkcs12: .bytes(Array(store.prefix(length))), passphrase: "x")
      #expect(opening(cut)?.code == .configuration(subject: "PKCS #12 store"))
    }
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<500 {
      var damaged = store
      damaged[Int.random(in: 0..<store.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
      if let error = opening(TLSIdentity(pkcs12: .bytes(damaged), passphrase: "x")) { #expect(error.area == .identity) }
    }
    let pem = TLSIdentity(pkcs12: .text("-----BEGIN CERTIFICATE-----\n"))
    #expect(opening(pem)?.detail.hasPrefix("is not a PKCS #12 store") == true)
  }

  @Test("a store that needs the legacy provider says so")
  func legacy() throws {
    let store = try #require(Base64.decode(Self.rc2Store.utf8))
    let error = try #require(opening(TLSIdentity(pkcs12: .bytes(store), passphrase: "open")))
    #expect(error.detail.contains("legacy provider"))
    #expect(error.detail.contains("AES-256"))
  }

  /// The certificates in RC2 with 40 bits, as tools of before 2022 wrote them; made by `openssl pkcs12 -export -legacy`.
  private static let rc2Store =
    "MIIDggIBAzCCA0gGCSqGSIb3DQEHAaCCAzkEggM1MIIDMTCCAicGCSqGSIb3DQEHBqCCAhgwggIUAgEAMIICDQYJKoZIhvcNAQcB"
    + "MBwGCiqGSIb3DQEMAQYwDgQIh4FxE0k6UDECAggAgIIB4GxTN+HDw5d8JyOCzPwpSAv/l4DSsg82KsNq/VGHpkz0NCNOjpm7PyL3"
    + "5D24eNXpZNfFNRtsBRnaTVzEphUwHYjxXDmqzZbmHuttcrezLDg+Z10fT1T4l9phzUZP0WRJ2znxJ4tIlxpyS5ZxC1k/aRtuOLv9"
    + "3sSaIkzuKBCxKOrU9GvtdpXrKVm8QJA/3Jyxwz9uJjzEwGhoxyibuFACVyKw9wFMFaxeq+vF5WeQysWRDctOgoyiIHafh6Y1mu01"
    + "urh30o6FIS4D7UJWk13w5I3qrBGXBUdfWyEZwytdmisBjUmb2P1FjVxI2wi9/nFPPsRRsgKfsTwjs6jjoLAg2ASWWKO9h4CICVK7"
    + "2N0WPfYMXC+jUy8X0VJPraXtpfLg5DpBNu66d6ADBKG5FR9AapWYgLJ5GoIDRT+tWGigcAA60ipOw8kTwmOXN0gi7tjjh4Ubyff7"
    + "40c22QLAhH8zW+WJpd1BBaYudKEhLus87RXMR9udDr0X3sQGOar4BnQwxim0oCXEZ19SPu3pLNX6acv0wA2E5TjowN22Wog0LSHV"
    + "N+p9WER9mrALFAEEFgFw8Vc360sOceXXwhf8L6Xm9H7MjYglMUEk3Hf+rpFvt62pHUrFV5/hSDfBvxwi7udZ4DCCAQIGCSqGSIb3"
    + "DQEHAaCB9ASB8TCB7jCB6wYLKoZIhvcNAQwKAQKggbQwgbEwHAYKKoZIhvcNAQwBAzAOBAjN03wzMpvEdAICCAAEgZAuLhth8+P/"
    + "AyjhJqOee9pw/Et074CubZ0JT/RB26o3qgsN1qXYTHDFIEZxn4WM6r9BER+Fl8Rq4g3DIstU4BQXzDHNf53dN3JSWv+dcITbY9BP"
    + "jdqNU0xL13b7ydBSTA1HoEZsrevrNf270xHzbCDpObTxuxapxPSsNOqSt7lvrHebrMyWuux+iD6HFiEAPksxJTAjBgkqhkiG9w0B"
    + "CRUxFgQUFahePwOV+eOwufvk/1RFmC90wn8wMTAhMAkGBSsOAwIaBQAEFE8dJwBRsi/G7l+A3DCJQ2A+a+lJBAjKE9aa36nuAwIC"
    + "CAA="
}
