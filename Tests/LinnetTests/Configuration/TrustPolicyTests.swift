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
}
