import LinnetTestSupport

/// The proxy of nghttp2 before an HTTP/1.1 server.
enum Nghttpx {
  static var isInstalled: Bool { ServerProcess.isInstalled("nghttpx") }
  static let reason = "nghttpx is not installed (.ci/setup installs it)"

  /// - Parameter backend: The port of 127.0.0.1 that serves everything.
  static func start(backend: UInt16) throws -> ProgramPeer {
    let certificates = try TestCertificates()
    let files = try certificates.write(certificates.loopback())
    let (cleartext, tls) = (try FreePort.next(), try FreePort.next())
    return try ProgramPeer(
      certificates: certificates, directory: try TemporaryDirectory(), cleartext: cleartext, tls: tls,
      commands: [
        [
          "nghttpx", "--conf=/dev/null", "--single-process", "--workers=1", "--no-ocsp", "--errorlog-file=/dev/stderr",
          "--frontend=127.0.0.1,\(cleartext);no-tls", "--frontend=127.0.0.1,\(tls)", "--backend=127.0.0.1,\(backend)",
          files.privateKey, files.chain,
        ]
      ])
  }
}
