import Glibc
import LinnetHTTP
import LinnetIO
import LinnetTestSupport

extension HTTPClient {
  /// The error with which an exchange ends, its body included; nil when it succeeds.
  func failure(of request: HTTPRequest) async -> TransportError? {
    do throws(TransportError) {
      _ = try await send(request).collect()
      return nil
    } catch {
      return error
    }
  }
}

/// A TCP port of 127.0.0.1 that refuses connections for as long as this object lives: it is bound, so that nobody else
/// gets it, and nobody listens.
final class ClosedPort: Sendable {
  let port: UInt16
  private let descriptor: CInt

  init() throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(fd, $0, length) == 0 && getsockname(fd, $0, &length) == 0
      }
    }
    guard isBound else { throw TestSupportError(call: "bind", errno: errno) }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}

/// The ends of TCP connections that this process still holds. Unlike a count of descriptors, what other tests do at the
/// same time does not matter.
enum ClientSockets {
  /// How many open sockets are connected to a port, as their clients.
  static func count(toPort port: UInt16) -> Int {
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"].reduce(0) { $0 + count(in: $1, toPort: port) }
  }

  private static func count(in table: String, toPort port: UInt16) -> Int {
    let text = String(decoding: TemporaryDirectory.contents(of: table) ?? [], as: UTF8.self)
    return text.split(separator: "\n").dropFirst().count { line in
      // sl, local, remote, state, queues, timer, retransmits, uid, timeout, inode; a socket that nobody holds has inode 0.
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, let remote = fields[2].split(separator: ":").last else { return false }
      return UInt16(remote, radix: 16) == port && fields[9] != "0"
    }
  }
}

extension ManualClock {
  /// Moves the clock step by step until something was recorded.
  func advance<Event>(by step: Duration, until recorder: EventRecorder<Event>) async {
    while recorder.events.isEmpty {
      advance(by: step)
      await Task.yield()
    }
  }
}

/// Whether this machine has the IPv6 loopback address.
enum LoopbackIPv6 {
  static let isAvailable: Bool = {
    var options = ScriptedServer.Options()
    options.address = .ipv6
    guard let server = try? ScriptedServer.start(.steps([]), options: options) else { return false }
    server.stop()
    return true
  }()
}

extension ScriptedServer.Options {
  /// Where a server listens, and how it speaks TLS.
  static func at(_ address: ScriptedServer.Address, tls: ServerTLS? = nil) -> ScriptedServer.Options {
    var options = ScriptedServer.Options()
    options.address = address
    options.tls = tls
    return options
  }

  /// A TLS server on 127.0.0.1.
  static func tls(_ certificate: TestCertificate, change: (inout ServerTLS) -> Void = { _ in }) -> Self {
    var tls = ServerTLS(certificate)
    change(&tls)
    return at(.ipv4, tls: tls)
  }
}

extension HTTPClientConfiguration {
  /// Trusts the authority of a test and nobody else.
  static func trusting(_ certificates: TestCertificates) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file(certificates.authorityFile)])
    return configuration
  }
}
