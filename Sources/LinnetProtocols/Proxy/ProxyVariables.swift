package import LinnetHTTPTypes

/// Which environment variable names the proxy for a URL, as curl has it.
///
/// The first one that is set decides:
///
/// | Scheme | Variables |
/// | --- | --- |
/// | `http`, `ws` | `http_proxy`, `HTTP_PROXY` (see below), `all_proxy`, `ALL_PROXY` |
/// | `https`, `wss` | `https_proxy`, `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY` |
///
/// One that is set and empty decides too: that there is no proxy. `HTTP_PROXY` counts for nothing in a CGI program, which
/// `REQUEST_METHOD` tells (RFC 3875 §4.1.12): its server makes that variable from the field `Proxy` of a request, so that
/// anybody could lead the program's requests elsewhere ("httpoxy"). curl ignores it everywhere, other tools nowhere.
package enum ProxyVariables {
  /// A variable that is set.
  package struct Setting: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  /// The variable that decides for a scheme; its value may be empty.
  package static func proxy(for scheme: HTTPURL.Scheme, in variables: [String: String]) -> Setting? {
    var names = scheme.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"]
    if variables["REQUEST_METHOD"] != nil { names.removeAll { $0 == "HTTP_PROXY" } }
    return first(of: names + ["all_proxy", "ALL_PROXY"], in: variables)
  }

  /// `no_proxy`, or `NO_PROXY` when that is not set.
  package static func exceptions(in variables: [String: String]) -> Setting? {
    first(of: ["no_proxy", "NO_PROXY"], in: variables)
  }

  private static func first(of names: [String], in variables: [String: String]) -> Setting? {
    for name in names {
      if let value = variables[name] { return Setting(name: name, value: value) }
    }
    return nil
  }
}
