import LinnetTestSupport

/// The proxy HAProxy before an HTTP/1.1 server.
enum Haproxy {
  static var isInstalled: Bool { ServerProcess.isInstalled("haproxy") }
  static let reason = "haproxy is not installed (.ci/setup installs it)"

  /// - Parameter backend: The port of 127.0.0.1 that serves everything.
  static func start(backend: UInt16) throws -> ProgramPeer {
    let certificates = try TestCertificates()
    let certificate = try certificates.loopback()
    let directory = try TemporaryDirectory()
    let file = try directory.write(certificate.chainPEM + certificate.privateKeyPEM, to: "both.pem")
    let (cleartext, tls) = (try FreePort.next(), try FreePort.next())
    // In cleartext the first bytes tell which version a client speaks.
    let configuration = """
      defaults
        mode http
        timeout connect 10s
        timeout client 60s
        timeout server 60s
      frontend all
        bind 127.0.0.1:\(cleartext)
        bind 127.0.0.1:\(tls) ssl crt \(file) alpn h2,http/1.1
        default_backend app
      backend app
        server app 127.0.0.1:\(backend)

      """
    return try ProgramPeer(
      certificates: certificates, directory: directory, cleartext: cleartext, tls: tls,
      commands: [["haproxy", "-db", "-f", try directory.write(configuration, to: "haproxy.cfg")]])
  }
}
