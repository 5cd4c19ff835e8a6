import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("Proxy variables")
struct ProxyVariablesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let scheme: HTTPURL.Scheme
    let variables: [String: String]
    let name: String?

    init(_ scheme: HTTPURL.Scheme, _ variables: [String: String], _ name: String?) {
      self.scheme = scheme
      self.variables = variables
      self.name = name
    }

    var testDescription: String { "\(scheme) \(variables.sorted { $0.key < $1.key }) \(name ?? "none")" }
  }

  @Test(
    "PRX-01: which variable decides",
    arguments: [
      Case(.http, [:], nil), Case(.https, [:], nil), Case(.http, ["http_proxy": "a"], "http_proxy"),
      Case(.https, ["http_proxy": "a"], nil), Case(.https, ["https_proxy": "a"], "https_proxy"),
      Case(.http, ["https_proxy": "a"], nil), Case(.https, ["HTTPS_PROXY": "a"], "HTTPS_PROXY"),
      Case(.http, ["HTTPS_PROXY": "a"], nil), Case(.http, ["HTTP_PROXY": "a"], "HTTP_PROXY"),
      Case(.http, ["HTTP_PROXY": "a", "http_proxy": "b"], "http_proxy"),
      Case(.https, ["HTTPS_PROXY": "a", "https_proxy": "b"], "https_proxy"),
      Case(.http, ["all_proxy": "a"], "all_proxy"), Case(.https, ["all_proxy": "a"], "all_proxy"),
      Case(.http, ["ALL_PROXY": "a"], "ALL_PROXY"), Case(.https, ["ALL_PROXY": "a"], "ALL_PROXY"),
      Case(.http, ["ALL_PROXY": "a", "all_proxy": "b"], "all_proxy"),
      Case(.http, ["all_proxy": "a", "http_proxy": "b"], "http_proxy"),
      Case(.http, ["all_proxy": "a", "HTTP_PROXY": "b"], "HTTP_PROXY"),
      Case(.https, ["all_proxy": "a", "HTTPS_PROXY": "b"], "HTTPS_PROXY"),
      Case(.https, ["all_proxy": "a", "http_proxy": "b"], "all_proxy"),
      Case(.ws, ["http_proxy": "a"], "http_proxy"), Case(.wss, ["https_proxy": "a"], "https_proxy"),
      Case(.ws, ["https_proxy": "a"], nil), Case(.wss, ["http_proxy": "a"], nil),
      Case(.wss, ["all_proxy": "a"], "all_proxy"),
      Case(.http, ["Http_Proxy": "a", "ftp_proxy": "b"], nil),
    ])
  func decides(item: Case) {
    #expect(ProxyVariables.proxy(for: item.scheme, in: item.variables)?.name == item.name)
  }

  @Test(
    "PRX-01: HTTP_PROXY counts for nothing in a CGI program (httpoxy); the others do",
    arguments: [
      Case(.http, ["HTTP_PROXY": "a"], nil), Case(.ws, ["HTTP_PROXY": "a"], nil),
      Case(.http, ["HTTP_PROXY": "a", "http_proxy": "b"], "http_proxy"),
      Case(.http, ["HTTP_PROXY": "a", "ALL_PROXY": "b"], "ALL_PROXY"),
      Case(.https, ["HTTPS_PROXY": "a"], "HTTPS_PROXY"),
    ])
  func httpoxy(item: Case) {
    for method in ["GET", ""] {
      let variables = item.variables.merging(["REQUEST_METHOD": method]) { $1 }
      #expect(ProxyVariables.proxy(for: item.scheme, in: variables)?.name == item.name)
    }
  }

  @Test(
    "PRX-01: an empty variable decides that there is no proxy",
    arguments: [
      Case(.http, ["http_proxy": ""], "http_proxy"), Case(.http, ["http_proxy": "", "HTTP_PROXY": "a"], "http_proxy"),
      Case(.https, ["https_proxy": "", "all_proxy": "a"], "https_proxy"), Case(.http, ["all_proxy": ""], "all_proxy"),
    ])
  func empty(item: Case) {
    let setting = ProxyVariables.proxy(for: item.scheme, in: item.variables)
    #expect(setting?.name == item.name && setting?.value == "")
  }

  @Test("PRX-02: no_proxy before NO_PROXY, also when it is empty")
  func exceptions() {
    #expect(ProxyVariables.exceptions(in: [:]) == nil)
    #expect(ProxyVariables.exceptions(in: ["NO_PROXY": "a"])?.value == "a")
    #expect(ProxyVariables.exceptions(in: ["NO_PROXY": "a", "no_proxy": "b"])?.value == "b")
    #expect(ProxyVariables.exceptions(in: ["NO_PROXY": "a", "no_proxy": ""])?.value == "")
  }
}
