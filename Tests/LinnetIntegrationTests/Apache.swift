import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTLS
import LinnetTestSupport

/// An Apache httpd with a directory of its own, on http and https with a private authority; and on ports where it speaks
/// HTTP/2 beside HTTP/1.1, in cleartext and over TLS.
final class Apache: HTTPPeer {
  static var isInstalled: Bool { ServerProcess.isInstalled("apache2") }
  static let reason = "apache2 is not installed (.ci/setup installs it)"

  let certificates: TestCertificates
  let directory: TemporaryDirectory
  private let httpPort: UInt16
  private let httpsPort: UInt16
  private let cleartextPort: UInt16
  private let tlsPort: UInt16
  private let process: ServerProcess

  /// - Parameters:
  ///   - keepAliveMilliseconds: How long an idle connection is kept.
  ///   - documents: Where its files are; nil for ``directory``.
  ///   - backend: The port of 127.0.0.1 that serves everything below `/app/`; nil for nobody.
  init(keepAliveMilliseconds: Int = 5000, documents: String? = nil, backend: UInt16? = nil) throws {
    certificates = try TestCertificates()
    directory = try TemporaryDirectory()
    let files = try certificates.write(certificates.loopback())
    httpPort = try FreePort.next()
    httpsPort = try FreePort.next()
    cleartextPort = try FreePort.next()
    tlsPort = try FreePort.next()
    let modules = [
      "mpm_event", "authz_core", "deflate", "filter", "ssl", "socache_shmcb", "reqtimeout", "dav", "dav_fs", "setenvif",
      "http2", "proxy", "proxy_http", "authn_core", "authn_file", "authz_user", "auth_basic", "auth_digest",
    ]
    let loads = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
    // Started by root, Apache serves as this user.
    for folder in ["", "/upload", "/gzip", "/basic", "/digest", "/short"] {
      mkdir(directory.path + folder, 0o777)
      chmod(directory.path + folder, 0o777)
    }
    let path = directory.path
    try Self.writeUsers(to: directory)
    let tls = """
      SSLEngine on
      SSLCertificateFile \(files.chain)
      SSLCertificateKeyFile \(files.privateKey)
      """
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
      Listen 127.0.0.1:\(cleartextPort)
      Listen 127.0.0.1:\(tlsPort)
      StartServers 1
      ThreadsPerChild 25
      MaxRequestWorkers 25
      H2EarlyHints on
      KeepAlive On
      KeepAliveTimeout \(keepAliveMilliseconds)ms
      MaxKeepAliveRequests 0
      DocumentRoot \(documents ?? path)
      DavLockDB \(path)/locks
      SSLSessionCache shmcb:\(path)/sessions(512000)
      Mutex pthread
      \(backend.map { "ProxyPass /app/ http://127.0.0.1:\($0)/app/" } ?? "")
      <Directory \(documents ?? path)>
        Require all granted
      </Directory>
      <Location /upload>
        Dav On
      </Location>
      <Location /gzip>
        SetOutputFilter DEFLATE
      </Location>
      \(Self.guarded(users: path))
      <VirtualHost 127.0.0.1:\(httpsPort)>
        \(tls)
      </VirtualHost>
      <VirtualHost 127.0.0.1:\(tlsPort)>
        Protocols h2 http/1.1
        \(tls)
      </VirtualHost>
      <VirtualHost 127.0.0.1:\(cleartextPort)>
        Protocols h2c http/1.1
      </VirtualHost>
      """, to: "apache.conf")
    process = try ServerProcess(["apache2", "-DFOREGROUND", "-f", directory.path(of: "apache.conf")])
    _ = try process.line(containing: "resuming normal operations")
  }

  /// What the user `user` has to say to see `/basic`, `/digest`, and `/short`, whose nonces live one second.
  static let password = "pass wörd"

  private static func guarded(users: String) -> String {
    """
    <Location /basic>
      AuthType Basic
      AuthName "apache basic"
      AuthUserFile \(users)/basic.users
      Require valid-user
    </Location>
    \(digest("/digest", nonceSeconds: 300, users: users))
    \(digest("/short", nonceSeconds: 1, users: users))
    """
  }

  private static func digest(_ location: String, nonceSeconds: Int, users: String) -> String {
    """
    <Location \(location)>
      Dav On
      AuthType Digest
      AuthName "apache digest"
      AuthDigestProvider file
      AuthDigestNonceLifetime \(nonceSeconds)
      AuthUserFile \(users)/digest.users
      Require valid-user
    </Location>
    """
  }

  private static func writeUsers(to directory: TemporaryDirectory) throws {
    func encoded(_ algorithm: Digest.Algorithm, _ text: String) throws -> [UInt8] {
      try Digest.hash(Array(text.utf8).span, with: algorithm)
    }
    let digest = try encoded(.md5, "user:apache digest:\(password)")
    let hexadecimal = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let basic = try Base64.encode(encoded(.sha1, password))
    // Apache reads them as a user of its own.
    for (name, line) in [("digest.users", "user:apache digest:\(hexadecimal)"), ("basic.users", "user:{SHA}\(basic)")] {
      chmod(try directory.write(line + "\n", to: name), 0o644)
    }
  }

  /// Ends the server. A test defers this, which also keeps the server alive until then.
  func stop() { process.stop() }

  func url(_ path: String, over transport: Transport = .http) -> String {
    transport == .https ? "https://localhost:\(httpsPort)\(path)" : "http://127.0.0.1:\(httpPort)\(path)"
  }

  /// In cleartext HTTP/1.1 is the one that offers an upgrade to HTTP/2 in every response.
  func port(for wire: HTTPWire) -> UInt16 { wire.isTLS ? tlsPort : cleartextPort }

  func client() -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file(certificates.authorityFile)])
    return HTTPClient(configuration: configuration)
  }
}
