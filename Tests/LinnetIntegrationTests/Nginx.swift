import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport

/// How a server is reached.
enum Transport: String, CaseIterable, Sendable {
  case http, https, unix
}

/// An nginx with a directory of its own, on http, https with a private authority, and a Unix-domain socket.
final class Nginx: Sendable {
  static var isInstalled: Bool { ServerProcess.isInstalled("nginx") }
  static let reason = "nginx is not installed (.ci/setup installs it)"

  /// What tests change.
  struct Options {
    var keepAlive = "60s"
    /// Whether https demands a certificate of the client's, signed by ``Nginx/certificates``.
    var demandsClientCertificate = false
    /// How many requests a connection serves.
    var requestsPerConnection = 10_000
  }

  let certificates: TestCertificates
  let directory: TemporaryDirectory
  private let httpPort: UInt16
  private let httpsPort: UInt16
  private let process: ServerProcess

  init(_ options: Options = Options()) throws {
    certificates = try TestCertificates()
    directory = try TemporaryDirectory()
    let files = try certificates.write(certificates.loopback())
    httpPort = try FreePort.next()
    httpsPort = try FreePort.next()
    try directory.write(
      Self.configuration(options, files, certificates, directory.path, ports: (httpPort, httpsPort)), to: "nginx.conf")
    process = try ServerProcess(
      ["nginx", "-p", directory.path, "-c", directory.path(of: "nginx.conf"), "-e", "stderr"])
    _ = try process.line(containing: "start worker process ")
  }

  /// Ends the server. A test defers this, which also keeps the server alive until then.
  func stop() { process.stop() }

  func url(_ path: String, over transport: Transport = .http) -> String {
    transport == .https ? "https://localhost:\(httpsPort)\(path)" : "http://127.0.0.1:\(httpPort)\(path)"
  }

  /// The settings of a client that reaches this server over `transport` and trusts its authority.
  func configuration(_ transport: Transport = .http) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file(certificates.authorityFile)])
    if transport == .unix { configuration.connectTarget = .unixSocket(socketPath) }
    return configuration
  }

  func client(_ transport: Transport = .http) -> HTTPClient { HTTPClient(configuration: configuration(transport)) }

  /// Puts a file of the test pattern where the server finds it, and returns its URL path.
  func serve(_ count: UInt64) throws -> String {
    try PatternContent.write(count, to: directory.path(of: "\(count).bin"))
    return "/\(count).bin"
  }

  private var socketPath: String { directory.path(of: "nginx.sock") }

  private static func configuration(
    _ options: Options, _ files: TestCertificates.Files, _ certificates: TestCertificates, _ directory: String,
    ports: (http: UInt16, https: UInt16)
  ) -> String {
    let clients =
      options.demandsClientCertificate
      ? "ssl_verify_client on; ssl_client_certificate \(certificates.authorityFile);" : ""
    return """
      daemon off;
      \(getuid() == 0 ? "user root;" : "")
      pid \(directory)/nginx.pid;
      error_log stderr notice;
      events { worker_connections 512; }
      http {
        access_log off;
        client_body_temp_path \(directory)/body;
        proxy_temp_path \(directory)/proxy;
        fastcgi_temp_path \(directory)/fastcgi;
        uwsgi_temp_path \(directory)/uwsgi;
        scgi_temp_path \(directory)/scgi;
        default_type application/octet-stream;
        client_max_body_size 0;
        keepalive_timeout \(options.keepAlive);
        keepalive_requests \(options.requestsPerConnection);
        server {
          listen 127.0.0.1:\(ports.http);
          listen 127.0.0.1:\(ports.https) ssl;
          listen unix:\(directory)/nginx.sock;
          root \(directory);
          ssl_certificate \(files.chain);
          ssl_certificate_key \(files.privateKey);
          ssl_protocols TLSv1.2 TLSv1.3;
          ssl_session_cache shared:linnet:1m;
          \(clients)
          location /gzip/ {
            alias \(directory)/;
            gzip on;
            gzip_min_length 0;
            gzip_types *;
          }
          location /upload/ { dav_methods PUT; create_full_put_path on; }
          location /small/ { dav_methods PUT; create_full_put_path on; client_max_body_size 10; }
          location = /forbidden { return 403 "no"; }
          location = /tls {
            return 200 "$ssl_protocol $ssl_session_reused $ssl_client_verify $ssl_client_s_dn";
          }
        }
      }
      """
  }
}
