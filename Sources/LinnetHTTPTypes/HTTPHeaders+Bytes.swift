package import LinnetBytes

/// Raw access for parsers, serialisers and framing decisions: no strings are made.
extension HTTPHeaders {
  /// Makes room for that many more bytes of names and values, and fields.
  package mutating func reserve(bytes: Int, fields: Int) {
    arena.reserveCapacity(arena.count &+ Swift.max(0, bytes))
    entries.reserveCapacity(entries.count &+ Swift.max(0, fields))
  }

  /// Appends a received field. The parser has checked that the name is a token, and trimmed and checked the value.
  package mutating func appendUnchecked(name: Span<UInt8>, value: Span<UInt8>) {
    if let reason = appendBytes(name, value, FieldBytes.foldedHash(name), false) {
      reject(FieldBytes.text(name), reason)
    }
  }

  /// Appends a field whose value need not be UTF-8 (RFC 9110 §5.5), after checking it; whitespace around the value is trimmed.
  ///
  /// - Throws: ``HTTPHeaderError``, and then nothing was changed.
  package mutating func add(name: String, bytes: [UInt8]) throws(HTTPHeaderError) {
    let field = name.utf8Span.span
    let value = bytes.span.extracting(FieldBytes.trimmed(bytes.span))
    let invalidity = FieldBytes.invalidity(name: field, value: value)
    if let reason = invalidity ?? appendBytes(field, value, FieldBytes.foldedHash(field), false) {
      throw HTTPHeaderError(name: name, reason: reason)
    }
  }

  /// Appends the bytes of a whole field section, separators included, to be referred to by
  /// ``appendField(name:value:)``: one copy for all fields.
  ///
  /// - Returns: The arena offset of the first byte.
  package mutating func appendBlock(_ bytes: Span<UInt8>) -> Int {
    let start = arena.count
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe arena.append(contentsOf: $0) }
    return start
  }

  /// Appends a field whose checked name and trimmed, checked value lie in a block. Ranges are arena offsets; a field
  /// outside the arena or past 4 GiB is refused as ``HTTPHeaderError/Reason/tooLarge``.
  package mutating func appendField(name: Range<Int>, value: Range<Int>) {
    let limit = Swift.min(arena.count, Self.maximumArenaCount)
    guard name.lowerBound >= 0, value.lowerBound >= 0, name.upperBound <= limit, value.upperBound <= limit else {
      reject("", .tooLarge)
      return
    }
    entries.append(
      Entry(
        nameOffset: UInt32(truncatingIfNeeded: name.lowerBound), nameCount: UInt32(truncatingIfNeeded: name.count),
        valueOffset: UInt32(truncatingIfNeeded: value.lowerBound), valueCount: UInt32(truncatingIfNeeded: value.count),
        tag: FieldBytes.foldedHash(arena.span.extracting(name))))
    liveCount += name.count + value.count
  }

  /// The bytes of all names and values.
  package var byteCount: Int { liveCount }

  /// The bytes that the arena holds, garbage included.
  package var storedByteCount: Int { arena.count }

  /// The index of the first field of this name at or after `start`, or nil.
  package func nextIndex(of name: String, from start: Int) -> Int? {
    nextIndex(of: name.utf8Span.span, from: start)
  }

  /// The index of the first field of this name at or after `start`, or nil.
  package func nextIndex(of name: Span<UInt8>, from start: Int) -> Int? {
    let hash = FieldBytes.foldedHash(name)
    let bytes = arena.span
    var index = Swift.max(0, start)
    while index < entries.count {
      let entry = entries[index]
      if entry.hash == hash && Int(entry.nameCount) == name.count
        && FieldBytes.equalIgnoringCase(bytes.extracting(entry.nameRange), name)
      {
        return index
      }
      index += 1
    }
    return nil
  }

  /// The bytes of the name at `index`; empty when there is no such field.
  @_lifetime(borrow self)
  package func nameBytes(at index: Int) -> Span<UInt8> {
    arena.span.extracting(entries.indices.contains(index) ? entries[index].nameRange : 0..<0)
  }

  /// The bytes of the value at `index`; empty when there is no such field.
  @_lifetime(borrow self)
  package func valueBytes(at index: Int) -> Span<UInt8> {
    arena.span.extracting(entries.indices.contains(index) ? entries[index].valueRange : 0..<0)
  }

  /// The bytes of the first value of this name, or nil.
  @_lifetime(borrow self)
  package func firstValueBytes(of name: String) -> Span<UInt8>? {
    guard let index = nextIndex(of: name, from: 0) else { return nil }
    return valueBytes(at: index)
  }

  /// How many fields have this name.
  package func count(of name: String) -> Int {
    var total = 0
    var next = 0
    while let index = nextIndex(of: name, from: next) {
      total += 1
      next = index + 1
    }
    return total
  }

  /// Whether the value of the field at `index` must be hidden: by its name or because somebody marked it.
  package func isSensitive(at index: Int) -> Bool {
    isMarkedSensitive(at: index) || FieldBytes.isSensitiveName(nameBytes(at: index))
  }

  /// Whether somebody marked the field at `index` as sensitive, whatever its name says.
  package func isMarkedSensitive(at index: Int) -> Bool {
    entries.indices.contains(index) && entries[index].isMarkedSensitive
  }

  /// Calls `body` with the name and the value of every field in order.
  package func forEachField<E: Error>(_ body: (Span<UInt8>, Span<UInt8>) throws(E) -> Void) throws(E) {
    let bytes = arena.span
    for entry in entries { try body(bytes.extracting(entry.nameRange), bytes.extracting(entry.valueRange)) }
  }

  /// Calls `body` with each value of this name in order.
  package func forEachValue<E: Error>(of name: String, _ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
    var next = 0
    while let index = nextIndex(of: name, from: next) {
      try body(valueBytes(at: index))
      next = index + 1
    }
  }

  /// Writes the fields as HTTP/1 field lines, each with its CRLF. Lines that are neighbours in the arena, in an
  /// unchanged set all of them, are one copy.
  package func write(into out: inout WriteBuffer) {
    let bytes = arena.span
    var run = 0..<0
    for entry in entries {
      guard let line = fieldLine(of: entry) else {
        out.append(bytes.extracting(run))
        run = 0..<0
        out.append(bytes.extracting(entry.nameRange))
        out.append(ascii: ": ")
        out.append(bytes.extracting(entry.valueRange))
        out.append(ascii: "\r\n")
        continue
      }
      if line.lowerBound == run.upperBound {
        run = run.lowerBound..<line.upperBound
      } else {
        out.append(bytes.extracting(run))
        run = line
      }
    }
    out.append(bytes.extracting(run))
  }
}
