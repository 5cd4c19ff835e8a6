import Glibc
import LinnetTestSupport

/// The server h2o, on one port in cleartext and one with TLS.
enum H2O {
  static var isInstalled: Bool { ServerProcess.isInstalled("h2o") }
  static let reason = "h2o is not installed (.ci/setup installs it)"

  /// - Parameters:
  ///   - documents: Where its files are.
  ///   - backend: The port of 127.0.0.1 that serves everything below `/app/`.
  static func start(documents: String, backend: UInt16) throws -> ProgramPeer {
    let certificates = try TestCertificates()
    let files = try certificates.write(certificates.loopback())
    let directory = try TemporaryDirectory()
    let (cleartext, tls) = (try FreePort.next(), try FreePort.next())
    // Without the zero it asks an authority on the network whether its certificate was revoked.
    let configuration = """
      \(getuid() == 0 ? "user: root" : "")
      num-threads: 1
      error-log: /dev/stderr
      listen: { host: 127.0.0.1, port: \(cleartext) }
      listen:
        host: 127.0.0.1
        port: \(tls)
        ssl: { certificate-file: \(files.chain), key-file: \(files.privateKey), ocsp-update-interval: 0 }
      hosts:
        default:
          paths:
            "/": { file.dir: \(documents) }
            "/gzip/": { file.dir: \(documents), compress: ON }
            "/app/": { proxy.reverse.url: "http://127.0.0.1:\(backend)/app/" }
      """
    return try ProgramPeer(
      certificates: certificates, directory: directory, cleartext: cleartext, tls: tls,
      commands: [["h2o", "-c", try directory.write(configuration, to: "h2o.conf")]])
  }
}
