internal import LinnetBytes

/// The header fields of a message: ordered, with repeats, names compared without case (RFC 9110 §5).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers[.userAgent] = "example/1.0"
/// headers.add("X-Trace", traceID)
/// try headers.add(name: "X-Label", value: userInput)
/// ```
///
/// **Invalid fields.** A name must be a token, and a value must not have CR, LF, NUL or other control bytes than HTAB;
/// otherwise text from outside could inject fields or whole requests. `add(name:value:)` and `update(name:value:)`
/// throw at once. The other ways in (``add(_:)``, subscripts, literals) do not throw, for the sake of call sites whose
/// fields are constants: an invalid field is left out and *recorded*, ``validate()`` throws, and a request with such
/// headers fails with that error before it is sent. It is never sent without the field, and never with it. Removing the
/// field or replacing it with a valid one clears the record.
///
/// Whitespace around a value is trimmed; it is not part of the value (RFC 9110 §5.5).
///
/// The fields of a parsed message live in one block of bytes, and strings are made when they are asked for. Bytes that
/// are not UTF-8 appear as Latin-1.
public struct HTTPHeaders: Sendable {
  /// Where a field lies in the arena.
  struct Entry: Sendable {
    var nameOffset: UInt32
    var nameCount: UInt32
    var valueOffset: UInt32
    var valueCount: UInt32
    /// ``FieldBytes/foldedHash(_:)`` of the name; the top bit is the user's sensitivity mark.
    var tag: UInt32

    var nameRange: Range<Int> { Int(nameOffset)..<(Int(nameOffset) &+ Int(nameCount)) }
    var valueRange: Range<Int> { Int(valueOffset)..<(Int(valueOffset) &+ Int(valueCount)) }
    var hash: UInt32 { tag & 0x7FFF_FFFF }
    var isMarkedSensitive: Bool { tag >> 31 == 1 }
    var liveCount: Int { Int(nameCount) &+ Int(valueCount) }
  }

  /// All fields as HTTP/1 field lines, `name: value` CRLF, and garbage left by changes. A received section may have
  /// other separators. Every entry's ranges lie inside.
  var arena: [UInt8] = []
  var entries: [Entry] = []
  /// Bytes of names and values that entries refer to.
  var liveCount = 0
  /// At most one for each name; empty for everything that came from a parser.
  var rejections: [HTTPHeaderError] = []

  /// An empty set. It does not allocate.
  public init() {}

  /// The fields in order, repeats kept.
  public init(_ headers: some Sequence<HTTPHeader>) {
    for header in headers { add(header) }
  }

  /// Checks that every field that was put in may be sent.
  ///
  /// - Throws: The first ``HTTPHeaderError`` that was recorded by a method that does not throw.
  public func validate() throws(HTTPHeaderError) {
    if let first = rejections.first { throw first }
  }
}

/// Appending.
extension HTTPHeaders {
  /// Appends a field after checking it.
  ///
  /// - Parameters:
  ///   - name: The name, sent in this spelling.
  ///   - value: The value; whitespace around it is trimmed.
  ///   - isSensitive: Whether descriptions hide the value although the name does not require it.
  /// - Throws: ``HTTPHeaderError``, and then nothing was changed.
  public mutating func add(name: String, value: String, isSensitive: Bool = false) throws(HTTPHeaderError) {
    if let reason = append(name, value, isSensitive) { throw HTTPHeaderError(name: name, reason: reason) }
  }

  /// Appends a field. An invalid one is recorded; see ``HTTPHeaders`` and ``validate()``.
  public mutating func add(_ header: HTTPHeader) {
    if let reason = header.invalidity ?? append(header.name, header.value, header.isSensitive) {
      reject(header.name, reason)
    }
  }

  /// Appends a field. An invalid one is recorded; see ``HTTPHeaders`` and ``validate()``.
  public mutating func add(_ name: String, _ value: String) {
    if let reason = append(name, value, false) { reject(name, reason) }
  }

  /// Appends the fields of `other` in order, with what it recorded.
  public mutating func add(contentsOf other: HTTPHeaders) {
    appendAll(of: other)
    for rejection in other.rejections { reject(rejection.name, rejection.reason) }
  }
}

/// Replacing and removing.
extension HTTPHeaders {
  /// Replaces every field of this name by one, at the position of the first; appends it when there is none.
  ///
  /// - Throws: ``HTTPHeaderError``, and then nothing was changed.
  public mutating func update(name: String, value: String, isSensitive: Bool = false) throws(HTTPHeaderError) {
    if let reason = replace(name, value, isSensitive) { throw HTTPHeaderError(name: name, reason: reason) }
  }

  /// Replaces every field of this name by one, at the position of the first; appends it when there is none. When
  /// `header` is invalid it is recorded and the fields stay; see ``validate()``.
  public mutating func update(_ header: HTTPHeader) {
    if let reason = header.invalidity ?? replace(header.name, header.value, header.isSensitive) {
      reject(header.name, reason)
    }
  }

  /// Replaces every field of this name by one; see ``update(_:)``.
  public mutating func update(_ name: String, _ value: String) {
    if let reason = replace(name, value, false) { reject(name, reason) }
  }

  /// Drops every field of this name.
  public mutating func remove(_ name: String) {
    forgive(name)
    guard let first = nextIndex(of: name, from: 0) else { return }
    removeMatches(of: name, from: first)
    compactIfWorthwhile()
  }

  /// Drops every field of this name; the same as ``remove(_:)-(String)``.
  public mutating func remove(name: String) { remove(name) }

  /// Drops all fields and what was recorded.
  ///
  /// - Parameter keepingCapacity: Whether to keep the memory for the next fields.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    arena.removeAll(keepingCapacity: keepingCapacity)
    entries.removeAll(keepingCapacity: keepingCapacity)
    rejections.removeAll()
    liveCount = 0
  }
}

/// Reading.
extension HTTPHeaders {
  /// The values of this name joined by comma and space, which is what repeats mean (RFC 9110 §5.3); nil when there is
  /// none. Do not use it for `Set-Cookie`, whose values may have commas of their own; see
  /// ``values(for:)-(String)``.
  public func value(for name: String) -> String? {
    guard let first = nextIndex(of: name, from: 0) else { return nil }
    var joined = FieldBytes.text(valueBytes(at: first))
    var next = first + 1
    while let index = nextIndex(of: name, from: next) {
      joined += ", "
      joined += FieldBytes.text(valueBytes(at: index))
      next = index + 1
    }
    return joined
  }

  /// The values of this name in order, one for each field.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    var next = 0
    while let index = nextIndex(of: name, from: next) {
      values.append(FieldBytes.text(valueBytes(at: index)))
      next = index + 1
    }
    return values
  }

  /// Whether there is a field of this name.
  public func contains(_ name: String) -> Bool { nextIndex(of: name, from: 0) != nil }

  /// ``value(for:)`` to read, ``update(_:_:)`` to write; nil removes.
  public subscript(name: String) -> String? {
    get { value(for: name) }
    set {
      if let newValue { update(name, newValue) } else { remove(name) }
    }
  }
}
