internal import LinnetBytes
internal import LinnetHTTP

/// Puts the trust policy's exceptions on requests to the hosts that it names.
final class TrustOverrides: Sendable {
  private let hosts: Set<String>
  private let tls: TLSConfiguration
  private let warned: Lock<Set<String>>
  private let warn: @Sendable (String) -> Void

  /// - Parameters:
  ///   - tls: The client's TLS settings, of which an exception changes only the verification.
  ///   - warn: Writes a line for people.
  init(_ policy: TrustPolicy, tls: TLSConfiguration, warn: @escaping @Sendable (String) -> Void) {
    hosts =
      switch policy {
      case .systemDefault: []
      case .insecureAcceptAnyCertificate(let hosts): Set(hosts.map { host in host.lowercased() })
      }
    self.tls = tls
    self.warn = warn
    warned = Lock([])
  }

  func apply(to request: inout HTTPRequest) {
    guard !hosts.isEmpty, let url = try? request.parsedURL(), url.isSecure, hosts.contains(url.host) else { return }
    var exception = request.options.tls ?? tls
    exception.verifiesPeer = false
    request.options.tls = exception
    if warned.withLock({ $0.insert(url.host).inserted }) {
      warn("linnet: warning: certificates of \(url.host) are not verified (TrustPolicy.insecureAcceptAnyCertificate)")
    }
  }
}
