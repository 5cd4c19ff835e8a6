import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport

/// An Apache httpd with a directory of its own, on http and https with a private authority.
final class Apache: Sendable {
  static var isInstalled: Bool { ServerProcess.isInstalled("apache2") }
  static let reason = "apache2 is not installed (.ci/setup installs it)"

  let certificates: TestCertificates
  let directory: TemporaryDirectory
  private let httpPort: UInt16
  private let httpsPort: UInt16
  private let process: ServerProcess

  /// - Parameter keepAliveMilliseconds: How long an idle connection is kept.
  init(keepAliveMilliseconds: Int = 5000) throws {
    certificates = try TestCertificates()
    directory = try TemporaryDirectory()
    let files = try certificates.write(certificates.loopback())
    httpPort = try FreePort.next()
    httpsPort = try FreePort.next()
    let modules = [
      "mpm_event", "authz_core", "deflate", "filter", "ssl", "socache_shmcb", "reqtimeout", "dav", "dav_fs", "setenvif",
    ]
    let loads = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
    // Started by root, Apache serves as this user.
    for folder in ["", "/upload", "/gzip"] {
      mkdir(directory.path + folder, 0o777)
      chmod(directory.path + folder, 0o777)
    }
    let path = directory.path
    try directory.write(
      """
      ServerRoot \(path)
      ServerName localhost
      User nobody
      Group nogroup
      PidFile \(path)/apache.pid
      DefaultRuntimeDir \(path)
      ErrorLog /dev/stderr
      LogLevel notice
      \(loads.joined(separator: "\n"))
      Listen 127.0.0.1:\(httpPort)
      Listen 127.0.0.1:\(httpsPort)
      StartServers 1
      ThreadsPerChild 25
      MaxRequestWorkers 25
      KeepAlive On
      KeepAliveTimeout \(keepAliveMilliseconds)ms
      MaxKeepAliveRequests 0
      DocumentRoot \(path)
      DavLockDB \(path)/locks
      SSLSessionCache shmcb:\(path)/sessions(512000)
      Mutex pthread
      <Directory \(path)>
        Require all granted
      </Directory>
      <Location /upload>
        Dav On
      </Location>
      <Location /gzip>
        SetOutputFilter DEFLATE
      </Location>
      <VirtualHost 127.0.0.1:\(httpsPort)>
        SSLEngine on
        SSLCertificateFile \(files.chain)
        SSLCertificateKeyFile \(files.privateKey)
      </VirtualHost>
      """, to: "apache.conf")
    process = try ServerProcess(["apache2", "-DFOREGROUND", "-f", directory.path(of: "apache.conf")])
    _ = try process.line(containing: "resuming normal operations")
  }

  /// Ends the server. A test defers this, which also keeps the server alive until then.
  func stop() { process.stop() }

  func url(_ path: String, over transport: Transport = .http) -> String {
    transport == .https ? "https://localhost:\(httpsPort)\(path)" : "http://127.0.0.1:\(httpPort)\(path)"
  }

  func client() -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file(certificates.authorityFile)])
    return HTTPClient(configuration: configuration)
  }
}
