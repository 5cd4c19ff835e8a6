import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport

/// How a server is reached.
enum Transport: String, CaseIterable, Sendable {
  case http, https, unix
}

/// An nginx with a directory of its own, on http, https with a private authority, and a Unix-domain socket; and on ports
/// where it speaks HTTP/2, in cleartext and over TLS beside HTTP/1.1.
final class Nginx: HTTPPeer {
  static var isInstalled: Bool { ServerProcess.isInstalled("nginx") }
  static let reason = "nginx is not installed (.ci/setup installs it)"

  /// What tests change.
  struct Options {
    var keepAlive = "60s"
    /// Whether https demands a certificate of the client's, signed by ``Nginx/certificates``.
    var demandsClientCertificate = false
    /// How many requests a connection serves.
    var requestsPerConnection = 10_000
    /// Where its files are; nil for ``Nginx/directory``.
    var documents: String?
    /// The port of 127.0.0.1 that serves everything below `/app/`; nil for nobody.
    var backend: UInt16?
  }

  let certificates: TestCertificates
  let directory: TemporaryDirectory
  private let ports: Ports
  private let process: ServerProcess

  private struct Ports {
    let http: UInt16
    let https: UInt16
    /// TLS, where ALPN chooses between both versions.
    let both: UInt16
    let http2Cleartext: UInt16

    init() throws(TestSupportError) {
      http = try FreePort.next()
      https = try FreePort.next()
      both = try FreePort.next()
      http2Cleartext = try FreePort.next()
    }
  }

  init(_ options: Options = Options()) throws {
    certificates = try TestCertificates()
    directory = try TemporaryDirectory()
    let files = try certificates.write(certificates.loopback())
    ports = try Ports()
    try directory.write(
      Self.configuration(options, files, certificates, directory.path, ports), to: "nginx.conf")
    process = try ServerProcess(
      ["nginx", "-p", directory.path, "-c", directory.path(of: "nginx.conf"), "-e", "stderr"])
    _ = try process.line(containing: "start worker process ")
  }

  /// Makes it read its configuration again: a new worker takes new connections, and the old one ends after telling so on
  /// those that it has. Returns when that has begun.
  func reload() throws {
    let pid = TemporaryDirectory.contents(of: directory.path(of: "nginx.pid")).flatMap { bytes in
      pid_t(String(decoding: bytes, as: UTF8.self).split(separator: "\n").first ?? "")
    }
    guard let pid, kill(pid, SIGHUP) == 0 else { throw TestSupportError(call: "kill", errno: errno, detail: "nginx") }
    _ = try process.line(containing: "gracefully shutting down")
  }

  /// Ends the server. A test defers this, which also keeps the server alive until then.
  func stop() { process.stop() }

  func url(_ path: String, over transport: Transport = .http) -> String {
    transport == .https ? "https://localhost:\(ports.https)\(path)" : "http://127.0.0.1:\(ports.http)\(path)"
  }

  func port(for wire: HTTPWire) -> UInt16 {
    switch wire {
    case .http1: ports.http
    case .http1TLS, .http2TLS: ports.both
    case .http2Cleartext: ports.http2Cleartext
    }
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
    _ ports: Ports
  ) -> String {
    let documents = options.documents ?? directory
    // A request is passed on while it arrives.
    let backend = options.backend.map { port in
      """
      location /app/ {
        proxy_pass http://127.0.0.1:\(port);
        proxy_http_version 1.1;
        proxy_request_buffering off;
        proxy_buffer_size 32k;
        proxy_buffers 8 32k;
      }
      """
    }
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
          listen 127.0.0.1:\(ports.both) ssl http2;
          listen 127.0.0.1:\(ports.http2Cleartext) http2;
          listen unix:\(directory)/nginx.sock;
          root \(documents);
          ssl_certificate \(files.chain);
          ssl_certificate_key \(files.privateKey);
          ssl_protocols TLSv1.2 TLSv1.3;
          ssl_session_cache shared:linnet:1m;
          \(clients)
          location /gzip/ {
            alias \(documents)/;
            gzip on;
            gzip_min_length 0;
            gzip_types *;
          }
          location /upload/ { dav_methods PUT; create_full_put_path on; }
          location /small/ { dav_methods PUT; create_full_put_path on; client_max_body_size 10; }
          \(backend ?? "")
          location = /forbidden { return 403 "no"; }
          location = /received {
            return 200 "proxy=[$http_proxy_authorization] authorization=[$http_authorization] secret=[$http_x_proxy_secret]";
          }
          location = /tls {
            return 200 "$ssl_protocol $ssl_session_reused $ssl_client_verify $ssl_client_s_dn";
          }
        }
      }
      """
  }
}
