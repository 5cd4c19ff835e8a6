import Glibc
import LinnetHTTP
import LinnetTestSupport

/// A proxy program of the system that runs for one test.
final class ProxyPeer: Sendable {
  /// A proxy of the matrix: a program, and how it is spoken to.
  enum Kind: String, CaseIterable, Sendable {
    case squid = "squid"
    case squidTLS = "squid over TLS"
    case tinyproxy = "tinyproxy"
    case haproxyTLS = "tinyproxy behind HAProxy's TLS"
    case danteSOCKS5 = "dante, SOCKS 5"
    case danteSOCKS5h = "dante, SOCKS 5, names resolved by it"
    case microsocksSOCKS5 = "microsocks, SOCKS 5"
    case microsocksSOCKS5h = "microsocks, SOCKS 5, names resolved by it"
    case sshSOCKS4a = "ssh -D, SOCKS 4a"

    var kind: HTTPProxy.Kind {
      switch self {
      case .squid, .tinyproxy: .http
      case .squidTLS, .haproxyTLS: .https
      case .danteSOCKS5, .microsocksSOCKS5: .socks5
      case .danteSOCKS5h, .microsocksSOCKS5h: .socks5h
      case .sshSOCKS4a: .socks4a
      }
    }

    var isTinyproxy: Bool { self == .tinyproxy || self == .haproxyTLS }
    var isSOCKS: Bool { kind != .http && kind != .https }
    /// Whether it answers when it cannot connect; else it only closes.
    var tellsRefusals: Bool { self != .sshSOCKS4a }

    var programs: [String] {
      switch self {
      case .squid, .squidTLS: ["squid", "/usr/lib/squid/basic_ncsa_auth", "/usr/lib/squid/digest_file_auth"]
      case .tinyproxy: ["tinyproxy"]
      case .haproxyTLS: ["tinyproxy", "haproxy"]
      case .danteSOCKS5, .danteSOCKS5h: ["danted"]
      case .microsocksSOCKS5, .microsocksSOCKS5h: ["microsocks"]
      case .sshSOCKS4a: ["ssh", "sshd", "ssh-keygen", "setpriv"]
      }
    }

    var isInstalled: Bool { programs.allSatisfy { ServerProcess.isInstalled($0) } }

    /// Whether it can demand what `demand` says.
    func can(_ demand: Demand) -> Bool {
      switch self {
      case .squid, .squidTLS: true
      // It has no Digest.
      case .tinyproxy, .haproxyTLS: demand != .digest
      // Its user names are those of the system.
      case .danteSOCKS5, .danteSOCKS5h: demand == .nothing
      // It does not look at user ids.
      case .sshSOCKS4a: demand == .nothing
      case .microsocksSOCKS5, .microsocksSOCKS5h: demand != .digest
      }
    }
  }

  /// What a proxy wants to see.
  enum Demand: String, CaseIterable, Sendable {
    case nothing, basic, digest
  }

  static let user = "ada"
  static let password = "s3cret_pw.1"

  let certificates: TestCertificates
  private let directory: TemporaryDirectory
  private let kind: Kind
  private let port: UInt16
  private let processes: [ServerProcess]

  init(_ kind: Kind, demanding demand: Demand) throws {
    self.kind = kind
    certificates = try TestCertificates()
    directory = try TemporaryDirectory()
    port = try FreePort.next()
    let (folder, port, certificates) = (directory, port, certificates)
    var commands: [(port: UInt16, command: [String])] = []
    switch kind {
    case .squid, .squidTLS:
      commands.append((port, try Self.squid(folder, port, kind == .squidTLS ? certificates : nil, demand)))
    case .tinyproxy:
      commands.append((port, try Self.tinyproxy(folder, port, demand)))
    case .haproxyTLS:
      let inner = try FreePort.next()
      commands.append((inner, try Self.tinyproxy(folder, inner, demand)))
      commands.append((port, try Self.haproxy(folder, port, certificates, before: inner)))
    case .danteSOCKS5, .danteSOCKS5h:
      commands.append((port, try Self.dante(folder, port)))
    case .microsocksSOCKS5, .microsocksSOCKS5h:
      let user = demand == .basic ? ["-u", Self.user, "-P", Self.password] : []
      commands.append((port, ["microsocks", "-i", "127.0.0.1", "-p", "\(port)"] + user))
    case .sshSOCKS4a:
      let inner = try FreePort.next()
      let ssh = try SSHPeer(folder, port: inner)
      commands.append((inner, try ssh.server))
      commands.append((port, ssh.client(forwarding: port)))
    }
    var processes: [ServerProcess] = []
    for (port, command) in commands {
      let process = try ServerProcess(command)
      try process.accepts(on: port)
      processes.append(process)
    }
    self.processes = processes
  }

  func stop() { for process in processes.reversed() { process.stop() } }

  /// The settings of a client that goes through it.
  func proxy(_ credentials: HTTPCredentials?) -> HTTPProxy {
    var proxy = HTTPProxy(kind: kind.kind, host: "localhost", port: port, credentials: credentials)
    if kind.kind == .https {
      var tls = TLSConfiguration()
      tls.trustRoots = .only([.file(certificates.authorityFile)])
      proxy.tls = tls
    }
    return proxy
  }

  // MARK: Programs

  private static func squid(
    _ directory: TemporaryDirectory, _ port: UInt16, _ certificates: TestCertificates?, _ demand: Demand
  ) throws -> [String] {
    // Started by root, squid serves as a user of its own, which has to read and write here.
    let path = directory.path
    chmod(path, 0o777)
    var listen = "http_port 127.0.0.1:\(port)"
    if let certificates {
      let certificate = try certificates.loopback()
      let both = try directory.write(certificate.chainPEM + certificate.privateKeyPEM, to: "both.pem")
      chmod(both, 0o644)
      listen = "https_port 127.0.0.1:\(port) tls-cert=\(both)"
    }
    let access: String
    switch demand {
    case .nothing: access = "http_access allow all"
    case .basic:
      let file = try directory.write("\(user):\(try hashedPassword())\n", to: "users")
      chmod(file, 0o644)
      access = """
        auth_param basic program /usr/lib/squid/basic_ncsa_auth \(file)
        auth_param basic realm proxy
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        """
    case .digest:
      let file = try directory.write("\(user):\(password)\n", to: "users")
      chmod(file, 0o644)
      access = """
        auth_param digest program /usr/lib/squid/digest_file_auth \(file)
        auth_param digest realm proxy
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        """
    }
    let configuration = """
      \(listen)
      \(access)
      cache deny all
      cache_mem 8 MB
      pid_filename \(path)/squid.pid
      access_log none
      cache_log \(path)/squid.log
      coredump_dir \(path)
      shutdown_lifetime 0 seconds

      """
    return ["squid", "-N", "-f", try directory.write(configuration, to: "squid.conf")]
  }

  /// The password as `openssl passwd -apr1` writes it.
  private static func hashedPassword() throws -> String {
    let process = try ServerProcess(["openssl", "passwd", "-apr1", "-salt", "linnet", password])
    defer { process.stop() }
    return try process.line(containing: "$apr1$")
  }

  private static func tinyproxy(
    _ directory: TemporaryDirectory, _ port: UInt16, _ demand: Demand
  ) throws -> [String] {
    let configuration = """
      Port \(port)
      Listen 127.0.0.1
      MaxClients 100
      Timeout 60
      Allow 127.0.0.1
      LogFile "\(directory.path)/tinyproxy.log"
      \(demand == .basic ? "BasicAuth \(user) \(password)" : "")

      """
    return ["tinyproxy", "-d", "-c", try directory.write(configuration, to: "tinyproxy.conf")]
  }

  private static func haproxy(
    _ directory: TemporaryDirectory, _ port: UInt16, _ certificates: TestCertificates, before inner: UInt16
  ) throws -> [String] {
    let certificate = try certificates.loopback()
    let file = try directory.write(certificate.chainPEM + certificate.privateKeyPEM, to: "both.pem")
    let configuration = """
      defaults
        mode tcp
        timeout connect 10s
        timeout client 60s
        timeout server 60s
      listen proxy
        bind 127.0.0.1:\(port) ssl crt \(file)
        server inner 127.0.0.1:\(inner)

      """
    return ["haproxy", "-db", "-f", try directory.write(configuration, to: "haproxy.cfg")]
  }

  private static func dante(_ directory: TemporaryDirectory, _ port: UInt16) throws -> [String] {
    let configuration = """
      logoutput: stderr
      internal: 127.0.0.1 port = \(port)
      external: 127.0.0.1
      socksmethod: none
      clientmethod: none
      user.privileged: root
      user.unprivileged: nobody
      client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
      socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }

      """
    return ["danted", "-f", try directory.write(configuration, to: "dante.conf"), "-p", "\(directory.path)/dante.pid"]
  }
}
