internal import LinnetBytes

/// The arena behind ``HTTPHeaders``.
///
/// Fields lie in it as field lines, so that an unchanged set is written to a connection in one copy. Offsets are 32
/// bits wide, so that an entry is 20 bytes; a set that would need more is refused with
/// ``HTTPHeaderError/Reason/tooLarge``.
extension HTTPHeaders {
  /// Appends a valid field; otherwise says why not and changes nothing.
  mutating func append(_ name: String, _ value: String, _ isSensitive: Bool) -> HTTPHeaderError.Reason? {
    let name = name.utf8Span.span
    let value = value.utf8Span.span
    if let reason = FieldBytes.invalidity(name: name, value: value) { return reason }
    return appendBytes(name, value.extracting(FieldBytes.trimmed(value)), FieldBytes.foldedHash(name), isSensitive)
  }

  /// Appends a field whose bytes are valid.
  mutating func appendBytes(
    _ name: Span<UInt8>, _ value: Span<UInt8>, _ hash: UInt32, _ isSensitive: Bool
  ) -> HTTPHeaderError.Reason? {
    guard let entry = store(name, value, hash, isSensitive) else { return .tooLarge }
    entries.append(entry)
    return nil
  }

  /// Copies a field line to the end of the arena; nil when the offsets would not fit.
  private mutating func store(
    _ name: Span<UInt8>, _ value: Span<UInt8>, _ hash: UInt32, _ isSensitive: Bool
  ) -> Entry? {
    let start = arena.count
    let valueStart = start &+ name.count &+ 2
    guard valueStart &+ value.count &+ 2 <= Self.maximumArenaCount else { return nil }
    if start == 0 { reserveInitialCapacity(name.count &+ value.count &+ Self.separatorCount) }
    // SAFETY: the pointers are used only during the calls.
    unsafe name.withUnsafeBufferPointer { unsafe arena.append(contentsOf: $0) }
    arena.append(ASCII.colon)
    arena.append(ASCII.space)
    unsafe value.withUnsafeBufferPointer { unsafe arena.append(contentsOf: $0) }
    arena.append(ASCII.cr)
    arena.append(ASCII.lf)
    liveCount += name.count + value.count
    return Entry(
      nameOffset: UInt32(truncatingIfNeeded: start), nameCount: UInt32(truncatingIfNeeded: name.count),
      valueOffset: UInt32(truncatingIfNeeded: valueStart), valueCount: UInt32(truncatingIfNeeded: value.count),
      tag: hash | (isSensitive ? 1 << 31 : 0))
  }

  /// What a usual request needs, so that its fields are added without growing twice.
  private mutating func reserveInitialCapacity(_ bytes: Int) {
    arena.reserveCapacity(Swift.max(bytes, 256))
    entries.reserveCapacity(8)
  }

  /// `: ` and CRLF.
  static var separatorCount: Int { 4 }

  static var maximumArenaCount: Int { Int(UInt32.max) }

  /// Copies the arena of `other` as a whole, garbage included: that is at most half of it.
  mutating func appendAll(of other: HTTPHeaders) {
    if other.entries.isEmpty { return }
    if entries.isEmpty {
      arena = other.arena
      entries = other.entries
      liveCount = other.liveCount
      return
    }
    let shift = arena.count
    guard shift &+ other.arena.count <= Self.maximumArenaCount else {
      reject(other.first?.name ?? "", .tooLarge)
      return
    }
    arena.append(contentsOf: other.arena)
    let firstAdded = entries.count
    entries.append(contentsOf: other.entries)
    for index in firstAdded..<entries.count {
      entries[index].nameOffset &+= UInt32(truncatingIfNeeded: shift)
      entries[index].valueOffset &+= UInt32(truncatingIfNeeded: shift)
    }
    liveCount += other.liveCount
  }

  /// Replaces all fields of the name by one at the position of the first; otherwise says why not and changes nothing.
  mutating func replace(_ name: String, _ value: String, _ isSensitive: Bool) -> HTTPHeaderError.Reason? {
    guard let first = nextIndex(of: name, from: 0) else {
      let reason = append(name, value, isSensitive)
      if reason == nil { forgive(name) }
      return reason
    }
    let nameBytes = name.utf8Span.span
    let valueBytes = value.utf8Span.span
    if let reason = FieldBytes.invalidity(name: nameBytes, value: valueBytes) { return reason }
    let trimmed = valueBytes.extracting(FieldBytes.trimmed(valueBytes))
    guard let entry = store(nameBytes, trimmed, FieldBytes.foldedHash(nameBytes), isSensitive) else { return .tooLarge }
    liveCount -= entries[first].liveCount
    entries[first] = entry
    removeMatches(of: name, from: first + 1)
    forgive(name)
    compactIfWorthwhile()
    return nil
  }

  /// Drops the entries of the name from `start` on; their bytes become garbage.
  mutating func removeMatches(of name: String, from start: Int) {
    guard var next = nextIndex(of: name, from: start) else { return }
    var kept = next
    while next < entries.count {
      if matches(next, name.utf8Span.span) {
        liveCount -= entries[next].liveCount
      } else {
        entries[kept] = entries[next]
        kept += 1
      }
      next += 1
    }
    entries.removeSubrange(kept...)
  }

  private func matches(_ index: Int, _ name: Span<UInt8>) -> Bool {
    let entry = entries[index]
    return entry.hash == FieldBytes.foldedHash(name)
      && FieldBytes.equalIgnoringCase(arena.span.extracting(entry.nameRange), name)
  }

  /// Records that a field could not be added, once for each name.
  mutating func reject(_ name: String, _ reason: HTTPHeaderError.Reason) {
    guard !rejections.contains(where: { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }) else { return }
    rejections.append(HTTPHeaderError(name: name, reason: reason))
  }

  /// Drops the record of a name that was removed or replaced.
  mutating func forgive(_ name: String) {
    guard !rejections.isEmpty else { return }
    rejections.removeAll { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }
  }

  /// Rewrites the arena when more than half of it is garbage, so that a header that is updated for every attempt does
  /// not grow it for ever; the cost is amortised over the bytes that became garbage.
  mutating func compactIfWorthwhile() {
    let needed = liveCount + Self.separatorCount * entries.count
    guard arena.count - needed > needed else { return }
    let old = arena
    let oldEntries = entries
    removeAllFields()
    arena.reserveCapacity(needed)
    let bytes = old.span
    for entry in oldEntries {
      let (name, value) = (bytes.extracting(entry.nameRange), bytes.extracting(entry.valueRange))
      if let moved = store(name, value, entry.hash, entry.isMarkedSensitive) { entries.append(moved) }
    }
  }

  private mutating func removeAllFields() {
    arena = []
    entries.removeAll(keepingCapacity: true)
    liveCount = 0
  }

  /// Where the field lies as a whole field line, or nil when it was received with other separators.
  func fieldLine(of entry: Entry) -> Range<Int>? {
    let nameEnd = entry.nameRange.upperBound
    let valueRange = entry.valueRange
    let lineEnd = valueRange.upperBound &+ 2
    guard valueRange.lowerBound == nameEnd &+ 2, lineEnd <= arena.count, arena[nameEnd] == ASCII.colon,
      arena[nameEnd &+ 1] == ASCII.space, arena[lineEnd &- 2] == ASCII.cr, arena[lineEnd &- 1] == ASCII.lf
    else { return nil }
    return entry.nameRange.lowerBound..<lineEnd
  }
}
