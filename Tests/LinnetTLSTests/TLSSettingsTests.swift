import LinnetTLS
import Testing

@Suite("TLS settings")
struct TLSSettingsTests {
  private func failure(_ change: (inout TLSSettings) -> Void) -> TLSError? {
    var settings = TLSSettings()
    settings.trust = .only([])
    change(&settings)
    do throws(TLSError) {
      _ = try TLSContext(settings, role: .client)
      return nil
    } catch {
      return error
    }
  }

  @Test("a TLS 1.3 handshake uses the suite that is named")
  func suites() throws {
    let fixture = try TLSFixture()
    for suite in ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384"] {
      var pair = try fixture.pair(client: { $0.cipherSuites = suite })
      #expect(pair.shakeHands() == (nil, nil))
      #expect(pair.client.cipher == suite)
    }
  }

  @Test("the suites of TLS 1.3 do not touch TLS 1.2")
  func suitesOfOneVersion() throws {
    var pair = try TLSFixture().pair(client: { settings in
      settings.cipherSuites = "TLS_AES_128_GCM_SHA256"
      settings.maximumVersion = .v1_2
    })
    #expect(pair.shakeHands() == (nil, nil))
  }

  @Test(
    "an unknown suite is an error, also beside known ones",
    arguments: ["", ":", "TLS_AES_128_GCM_SHA256:", "TLS_NONSENSE", "TLS_AES_128_GCM_SHA256:TLS_NONSENSE", "NULL"])
  func unknownSuite(list: String) throws {
    let error = try #require(failure { $0.cipherSuites = list })
    #expect(error.code == .configuration(subject: "cipher suites \"\(list)\""))
    #expect(error.area == .settings)
  }

  @Test("a range of versions that has none in it is an error")
  func emptyRange() throws {
    let error = try #require(
      failure { settings in
        settings.minimumVersion = .v1_3
        settings.maximumVersion = .v1_2
      })
    #expect(error.code == .configuration(subject: "TLS versions"))
    #expect(error.detail.contains("TLSv1.3 to TLSv1.2"))
  }
}
