extension HTTPURL: CustomStringConvertible {
  /// The serialisation of the WHATWG URL standard, **with** userinfo. Logs should use ``redactedDescription``.
  public var description: String { string(0..<end) }
}

extension HTTPURL: CustomDebugStringConvertible {
  /// ``redactedDescription``, because what a debugger or a test failure prints is often kept.
  public var debugDescription: String { redactedDescription }
}

extension HTTPURL {
  /// The serialisation with `***` in place of user name and password, for logs and errors.
  public var redactedDescription: String {
    guard hasUserinfo else { return description }
    return string(0..<layout.scheme.prefixLength) + "***@" + string(layout.hostStart..<end)
  }

  /// The value of the `Host` field (RFC 9110 §7.2): the host, an IPv6 address in brackets, and the port unless it is
  /// the default.
  public var hostHeaderValue: String { string(layout.hostStart..<layout.pathStart) }

  /// The origin (RFC 6454 §4) that a connection serves: scheme, host and port. For `ws` and `wss` it has the scheme
  /// `http` and `https` on which the handshake is made (RFC 6455 §4.1).
  public var origin: Origin {
    Origin(scheme: isSecure ? .https : .http, normalisedHost: host, port: effectivePort)
  }

  /// The origin form of the request target (RFC 9112 §3.2.1): path and query, never the fragment. Shares the storage
  /// of the URL.
  public var requestTarget: RequestTarget {
    RequestTarget(form: .origin, storage: bytes, range: Int(layout.pathStart)..<Int(layout.queryEnd))
  }

  /// The absolute form of the request target (RFC 9112 §3.2.2), for a request to a proxy: without userinfo and
  /// fragment, and with `http` for `ws`.
  public var absoluteRequestTarget: RequestTarget {
    var text = Array((isSecure ? "https://" : "http://").utf8)
    text.append(contentsOf: slice(layout.hostStart..<layout.queryEnd))
    return RequestTarget(form: .absolute, storage: text)
  }
}

extension HTTPURL: CustomReflectable {
  /// Nothing more than ``debugDescription``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
