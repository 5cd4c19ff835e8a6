// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/TLS.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPTlsExamples {
  static func example1() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .systemAnd([.file("/etc/service/ca.pem")])
    configuration.tls.clientIdentity = .init(pkcs12: .file("/etc/service/client.p12"), passphrase: "sesame")
    configuration.tls.minimumVersion = .tls13
    let client = HTTPClient(configuration: configuration)
    _ = configuration
    _ = client
  }

  static func example2() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.tls.pinnedPublicKeys = try PublicKeyPin.list(
      "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=;sha256//AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=")
    _ = configuration
  }
}
