import LinnetTestSupport

/// The server of nghttp2, which speaks nothing but HTTP/2. It answers POST and PUT with their bodies, and ends every
/// response that has a body with the trailer `x-trailer: yes`.
enum Nghttpd {
  static var isInstalled: Bool { ServerProcess.isInstalled("nghttpd") }
  static let reason = "nghttpd is not installed (.ci/setup installs it)"

  /// - Parameter documents: Where its files are.
  static func start(documents: String) throws -> ProgramPeer {
    let certificates = try TestCertificates()
    let files = try certificates.write(certificates.loopback())
    let (cleartext, tls) = (try FreePort.next(), try FreePort.next())
    let command = [
      "nghttpd", "--address=127.0.0.1", "--htdocs=\(documents)", "--trailer=x-trailer: yes", "--echo-upload",
    ]
    return try ProgramPeer(
      certificates: certificates, directory: try TemporaryDirectory(), cleartext: cleartext, tls: tls,
      commands: [
        command + ["--no-tls", "\(cleartext)"],
        command + ["\(tls)", files.privateKey, files.chain],
      ])
  }
}
