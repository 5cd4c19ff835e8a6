internal import LinnetHTTP

/// Options that are understood and have no effect in this run, because another one is missing: whoever typed them believes in
/// something that does not happen. Those whose promise holds anyway (`--max-redirs` without `-L`) are not among them, nor
/// those of the user's configuration file, which is for every run.
package enum IdleOptions {
  /// What each of them waits for.
  ///
  /// - Parameter hasProxyVariables: Whether the environment names a proxy.
  package static func warnings(_ options: CommandLineOptions, hasProxyVariables: Bool) -> [String] {
    var typed: Set<String> = []
    for given in options.given where !given.isStanding {
      if given.isNegated { typed.remove(given.name) } else { typed.insert(given.name) }
    }
    var warnings: [String] = []
    func check(_ names: [String], needs condition: Bool, _ need: String) {
      guard !condition else { return }
      let idle = names.filter { typed.contains($0) }.map { "--\($0)" }
      if !idle.isEmpty { warnings.append("\(idle.joined(separator: ", ")): no effect without \(need)") }
    }
    let hasFile = options.namesAllRemotely || options.outputs.contains { $0 != .standardOutput }
    check(["output-dir", "remote-time"], needs: hasFile, "-o or -O")
    check(["post301", "post302", "post303"], needs: options.redirects.isFollowing, "-L")
    if options.redirects.isFollowing {
      // 301 and 302 keep other methods as they are; 303 asks for GET whatever was sent.
      check(["post303"], needs: options.method.map { $0 == "POST" } ?? true, "the method POST: 303 makes it GET")
    }
    if options.redirects.sendsReferer {
      check(["referer"], needs: options.redirects.isFollowing || options.referer != nil, "-L")
    }
    check(["digest", "anyauth"], needs: hasCredentials(options), "-u, or credentials in the URL")
    check(["trace-time", "trace-ids"], needs: options.isVerbose || options.trace.file != nil, "-v or --trace")
    check(["expect100-timeout"], needs: expectsContinue(options), "-H 'Expect: 100-continue'")
    check(["keepalive-time"], needs: options.connection.usesKeepAlive, "--keepalive")
    checkProxy(options, hasVariables: hasProxyVariables, check)
    if options.connection.unixSocket != nil {
      check(
        ["interface", "connect-to", "proxy", "socks4a", "socks5", "socks5-hostname"], needs: false, "a TCP connection")
    }
    return warnings
  }

  private static let proxyTLS = ["proxy-insecure", "proxy-cacert", "proxy-cert", "proxy-key", "proxy-pass"]

  private static func checkProxy(
    _ options: CommandLineOptions, hasVariables: Bool, _ check: ([String], Bool, String) -> Void
  ) {
    let server = options.proxy.server.flatMap { $0.address.bytes.isEmpty ? nil : $0 }
    let hasProxy = server != nil || options.proxy.server == nil && hasVariables
    guard hasProxy else {
      check(proxyTLS + ["proxy-user", "proxy-header", "proxytunnel"], false, "a proxy")
      return
    }
    guard let server else { return }
    let scheme = String(server.address.text.prefix { $0 != ":" }).lowercased()
    let isSOCKS = server.kind.map { $0 != .http && $0 != .https } ?? scheme.hasPrefix("socks")
    check(proxyTLS, server.kind == .https || server.kind == nil && scheme == "https", "an https proxy")
    check(["proxy-header"], !isSOCKS, "an HTTP proxy")
  }

  private static func hasCredentials(_ options: CommandLineOptions) -> Bool {
    options.credentials.user != nil || options.credentials.usesNetrc
      || options.urls.contains { $0.bytes.contains(UInt8(ascii: "@")) }
  }

  private static func expectsContinue(_ options: CommandLineOptions) -> Bool {
    options.headers.contains { line in
      line.bytes.first == UInt8(ascii: "@") || line.text.lowercased().hasPrefix("expect:")
    }
  }
}
