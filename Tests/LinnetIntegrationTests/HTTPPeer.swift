import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport

/// A version of HTTP and what is below it.
enum HTTPWire: String, CaseIterable, Sendable {
  case http1 = "HTTP/1.1"
  case http1TLS = "HTTP/1.1 over TLS"
  case http2TLS = "HTTP/2"
  /// HTTP/2 from the first byte, without TLS.
  case http2Cleartext = "HTTP/2 in cleartext"

  var isTLS: Bool { self == .http1TLS || self == .http2TLS }
  var isHTTP2: Bool { self == .http2TLS || self == .http2Cleartext }
  var version: HTTPVersion { isHTTP2 ? .http2 : .http1_1 }

  /// What a client has to say to get this one. HTTP/2 over TLS is what ALPN chooses by itself.
  var policy: HTTPVersionPolicy {
    switch self {
    case .http1, .http2TLS: .automatic
    case .http1TLS: .http1Only
    case .http2Cleartext: .http2PriorKnowledge
    }
  }
}

/// A server that is reached over several wires.
protocol HTTPPeer: Sendable {
  /// Whose authority signed what it presents.
  var certificates: TestCertificates { get }
  func port(for wire: HTTPWire) -> UInt16
  /// Ends the server and waits for its end.
  func stop()
}

extension HTTPPeer {
  func url(_ path: String, over wire: HTTPWire) -> String {
    wire.isTLS ? "https://localhost:\(port(for: wire))\(path)" : "http://127.0.0.1:\(port(for: wire))\(path)"
  }

  /// The settings of a client that speaks with it over `wire`.
  func configuration(over wire: HTTPWire) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file(certificates.authorityFile)])
    configuration.httpVersion = wire.policy
    return configuration
  }

  func client(over wire: HTTPWire) -> HTTPClient { HTTPClient(configuration: configuration(over: wire)) }
}

/// A server made of programs that need no handling of their own.
final class ProgramPeer: HTTPPeer {
  let certificates: TestCertificates
  private let directory: TemporaryDirectory
  private let ports: [HTTPWire: UInt16]
  private let processes: [ServerProcess]

  /// - Parameters:
  ///   - cleartext: The port in cleartext, of both versions.
  ///   - tls: The port with TLS, of both versions.
  init(
    certificates: TestCertificates, directory: TemporaryDirectory, cleartext: UInt16, tls: UInt16, commands: [[String]]
  ) throws(TestSupportError) {
    self.certificates = certificates
    self.directory = directory
    ports = [.http1: cleartext, .http2Cleartext: cleartext, .http1TLS: tls, .http2TLS: tls]
    var processes: [ServerProcess] = []
    for command in commands { processes.append(try ServerProcess(command)) }
    self.processes = processes
    // One program has both ports, or each has one.
    for (process, port) in zip([processes.first, processes.last], [cleartext, tls]) { try process?.accepts(on: port) }
  }

  func port(for wire: HTTPWire) -> UInt16 { ports[wire] ?? 0 }

  func stop() { for process in processes { process.stop() } }
}
