internal import LinnetBytes

/// One header field: a name and a value.
///
/// Making one never fails, so that the factories and literals read well. A field that must not be sent (see
/// ``validate()``) is caught when it is put into ``HTTPHeaders``: it is left out, and a request with those headers
/// fails with the ``HTTPHeaderError`` before anything is sent.
public struct HTTPHeader: Sendable {
  /// The name in the spelling in which it is sent. Names are compared without case.
  public let name: String
  /// The value.
  public let value: String
  /// Whether descriptions hide the value: true for `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`,
  /// and for fields that were marked when they were made.
  public let isSensitive: Bool
  /// What a factory found wrong that no longer shows in the value.
  private let defect: HTTPHeaderError.Reason?

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - name: The name, a token (RFC 9110 §5.1).
  ///   - value: The value (RFC 9110 §5.5).
  ///   - isSensitive: Pass true to hide the value in descriptions and to keep HTTP/2 from indexing it. Fields that
  ///     carry credentials by definition are sensitive either way.
  public init(name: String, value: String, isSensitive: Bool = false) {
    self.name = name
    self.value = value
    self.isSensitive = isSensitive || FieldBytes.isSensitiveName(name.utf8Span.span)
    defect = nil
  }

  /// For factories that encode their arguments. A header with a `defect` is invalid for that reason.
  init(name: String, value: String, defect: HTTPHeaderError.Reason?) {
    self.name = name
    self.value = value
    isSensitive = FieldBytes.isSensitiveName(name.utf8Span.span)
    self.defect = defect
  }

  /// Makes a field, as ``init(name:value:isSensitive:)`` does.
  public init(_ name: String, _ value: String) { self.init(name: name, value: value) }

  /// Checks that the field may be sent.
  ///
  /// - Throws: ``HTTPHeaderError`` when the name is not a token, the value has a control byte, or the factory that made
  ///   the field was given what it cannot encode.
  public func validate() throws(HTTPHeaderError) {
    if let reason = invalidity { throw HTTPHeaderError(name: name, reason: reason) }
  }

  /// Why the field must not be sent, or nil.
  var invalidity: HTTPHeaderError.Reason? {
    defect ?? FieldBytes.invalidity(name: name.utf8Span.span, value: value.utf8Span.span)
  }
}

extension HTTPHeader: Hashable {
  /// Whether the names are equal without case and the values exactly. The mark of sensitivity does not count.
  public static func == (left: HTTPHeader, right: HTTPHeader) -> Bool {
    ASCII.equalIgnoringCase(left.name.utf8, right.name.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
      && left.defect == right.defect
  }

  /// Hashes the folded name and the value.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(ASCII.lowercased(byte)) }
    hasher.combine(UInt8(0))
    for byte in value.utf8 { hasher.combine(byte) }
  }
}

extension HTTPHeader: CustomStringConvertible, CustomDebugStringConvertible {
  /// `Name: value`, with `<redacted>` in the place of a sensitive value.
  public var description: String { "\(name): \(isSensitive ? HTTPHeaders.redactedMark : value)" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension HTTPHeader: CustomReflectable {
  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
