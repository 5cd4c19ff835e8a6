import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("TrustPolicy")
struct TrustPolicyTests {
  private static func error(_ policy: TrustPolicy) async throws -> NetworkError? {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    let server = try ScriptedServer.start(.handler { _ in .item }, options: options)
    defer { server.stop() }
    let client = DefaultNetworkClient(
      configuration: .advanced(baseURL: .test(server.url("/api")), transport: TransportPack(trustPolicy: policy)))
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    await client.shutdown()
    return error
  }

  @Test("A certificate of an unknown authority is refused by default")
  func refused() async throws {
    guard case .trustEvaluationFailed? = try await Self.error(.systemDefault) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("It is accepted for hosts that are named as insecure, and only for those")
  func exception() async throws {
    #expect(try await Self.error(.insecureAcceptAnyCertificate(hosts: ["127.0.0.1"])) == nil)
    guard case .trustEvaluationFailed? = try await Self.error(.insecureAcceptAnyCertificate(hosts: ["localhost"]))
    else {
      Issue.record("accepted")
      return
    }
  }

  @Test(
    "A key that is not pinned is named, that of the server and that of the proxy whose pins they are",
    arguments: [false, true])
  func pins(isOfProxy: Bool) async throws {
    let certificates = try TestCertificates()
    let pinned = try PublicKeyPin(try certificates.loopback().publicKeyPin)
    var options = ScriptedProxy.Options()
    options.tls = ServerTLS(try certificates.server(dnsNames: ["localhost"]))
    let proxy = try ScriptedProxy.start(.http, options: options) { _ in .allow }
    defer { proxy.stop() }
    var tls = TLSConfiguration()
    tls.trustRoots = .only([.file(certificates.authorityFile)])
    tls.pinnedPublicKeys = [pinned]
    var engine = HTTPClientConfiguration()
    if isOfProxy {
      var settings = HTTPProxy(kind: .https, host: "localhost", port: proxy.port)
      settings.tls = tls
      engine.proxy = .fixed(settings)
    } else {
      engine.tls = tls
    }
    let url = isOfProxy ? "https://origin.test/" : "https://localhost:\(proxy.port)/"
    let client = DefaultNetworkClient(configuration: NetworkConfiguration.advanced(baseURL: .test(url)).engine(engine))
    let error = try #require(await failure { () throws(NetworkError) in try await client.request(GetItem()) })
    #expect(error.code == .trustEvaluationFailed && error.transport?.code == .publicKeyNotPinned)
    #expect("\(error)".contains("sha256//") && "\(error)".contains("localhost"))
    #expect(RetryConditions.condition(for: error) == nil)
    await client.shutdown()
  }
}
