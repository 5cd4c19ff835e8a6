extension HTTPURL {
  /// Resolves a reference against this URL, as for a link on a page or a `Location` field (RFC 9110 §10.2.2).
  ///
  /// The reference may be absolute. The fragment of this URL is never inherited, not even by an empty reference; a
  /// redirect uses ``inheritingFragment(of:)``.
  ///
  /// - Throws: As ``init(_:)``.
  public func resolve(_ reference: String) throws(HTTPURLError) -> HTTPURL {
    try Parser.parse(reference.utf8.span, base: self)
  }

  /// Resolves bytes that need not be UTF-8, such as those of a field.
  package func resolve(bytes reference: Span<UInt8>) throws(HTTPURLError) -> HTTPURL {
    try Parser.parse(reference, base: self)
  }

  /// Whether both URLs lead to the same scheme, host and port. `ws` counts as `http` and `wss` as `https`, as in
  /// ``origin``; nothing is allocated.
  public func isSameOrigin(as other: HTTPURL) -> Bool {
    isSecure == other.isSecure && effectivePort == other.effectivePort
      && slice(layout.hostStart..<layout.hostEnd) == other.slice(other.layout.hostStart..<other.layout.hostEnd)
  }

  /// The same URL without user name and password.
  public func removingUserinfo() -> HTTPURL {
    guard hasUserinfo else { return self }
    let removed = layout.hostStart - layout.scheme.prefixLength
    var kept = layout
    kept.usernameEnd = layout.scheme.prefixLength
    kept.hostStart -= removed
    kept.hostEnd -= removed
    kept.pathStart -= removed
    kept.pathEnd -= removed
    kept.queryEnd -= removed
    return HTTPURL(
      bytes: Array(slice(0..<layout.scheme.prefixLength)) + slice(layout.hostStart..<end), layout: kept)
  }

  /// The same URL with the user name and password of `original` unless it has some itself.
  package func inheritingUserinfo(of original: HTTPURL) -> HTTPURL {
    guard !hasUserinfo, original.hasUserinfo else { return self }
    let userinfo = original.slice(original.layout.scheme.prefixLength..<original.layout.hostStart)
    guard bytes.count + userinfo.count <= Self.maximumBytes else { return self }
    let added = UInt32(truncatingIfNeeded: userinfo.count)
    let prefix = layout.scheme.prefixLength
    var moved = layout
    // The schemes may differ, and so the lengths before.
    moved.usernameEnd = prefix + (original.layout.usernameEnd - original.layout.scheme.prefixLength)
    moved.hostStart += added
    moved.hostEnd += added
    moved.pathStart += added
    moved.pathEnd += added
    moved.queryEnd += added
    return HTTPURL(bytes: Array(slice(0..<prefix)) + userinfo + slice(prefix..<end), layout: moved)
  }

  /// The same URL without fragment.
  public func removingFragment() -> HTTPURL {
    end > layout.queryEnd ? HTTPURL(bytes: Array(slice(0..<layout.queryEnd)), layout: layout) : self
  }

  /// The same URL with the fragment of `original` unless it has one itself: what a redirect does (RFC 9110 §10.2.2).
  public func inheritingFragment(of original: HTTPURL) -> HTTPURL {
    guard end == layout.queryEnd, original.end > original.layout.queryEnd else { return self }
    return HTTPURL(bytes: bytes + original.slice(original.layout.queryEnd..<original.end), layout: layout)
  }
}
