package import LinnetHTTPTypes
internal import LinnetProtocols

/// Which proxy a request goes through, by one configuration and the environment. Both are read and judged once, when it is
/// made; a choice is a few comparisons then.
///
/// `Proxy` is what is made of a proxy once, so that a choice gives it at once.
package struct ProxySelector<Proxy: Sendable>: Sendable {
  /// How a request gets to its origin.
  package enum Choice: Sendable {
    case direct
    case through(Proxy)
    /// What is wrong with the proxy that was named. It is told to the requests that would go through it.
    case unusable(String)
  }

  let configuration: ProxyConfiguration
  /// For `http` URLs that are no exceptions.
  private let cleartext: Choice
  /// For `https` URLs that are none.
  private let secure: Choice
  private let exceptions: NoProxyList

  package init(
    _ configuration: ProxyConfiguration, variables: [String: String], making proxy: (HTTPProxy) -> Proxy
  ) {
    self.configuration = configuration
    var list = configuration.exceptions
    if configuration.usesNoProxyVariable, let setting = ProxyVariables.exceptions(in: variables) {
      list.append(setting.value)
    }
    exceptions = NoProxyList(list.joined(separator: ","))
    if let own = configuration.proxy {
      cleartext = Self.choice(of: own, proxy)
      secure = cleartext
    } else if configuration.usesProxyVariables {
      cleartext = Self.choice(of: ProxyVariables.proxy(for: .http, in: variables), configuration, proxy)
      secure = Self.choice(of: ProxyVariables.proxy(for: .https, in: variables), configuration, proxy)
    } else {
      cleartext = .direct
      secure = .direct
    }
  }

  package func choice(for url: HTTPURL) -> Choice {
    let choice = url.isSecure ? secure : cleartext
    if case .direct = choice { return .direct }
    return exceptions.contains(host: url.host, port: url.effectivePort) ? .direct : choice
  }

  private static func choice(
    of setting: ProxyVariables.Setting?, _ configuration: ProxyConfiguration, _ make: (HTTPProxy) -> Proxy
  ) -> Choice {
    guard let setting, !setting.value.isEmpty else { return .direct }
    do throws(ProxyURLError) {
      var proxy = try HTTPProxy(setting.value)
      if let credentials = configuration.environmentCredentials { proxy.credentials = credentials }
      proxy.headers = configuration.environmentHeaders
      proxy.tls = configuration.environmentTLS
      return choice(of: proxy, make)
    } catch {
      return .unusable("the variable \(setting.name) does not name a proxy: \(error)")
    }
  }

  /// A proxy that was put together by hand, in the form that others rely on.
  private static func choice(of proxy: HTTPProxy, _ make: (HTTPProxy) -> Proxy) -> Choice {
    var proxy = proxy
    do throws(ProxyURLError) { proxy.host = try HTTPProxy.normalised(proxy.host) } catch {
      return .unusable("the proxy of the configuration cannot be used: \(error)")
    }
    guard proxy.port > 0 else { return .unusable("the proxy of the configuration cannot be used: its port is 0") }
    do throws(HTTPHeaderError) { try proxy.headers.validate() } catch {
      return .unusable("a header for the proxy cannot be sent: \(error)")
    }
    return .through(make(proxy))
  }
}
