/// An immutable run of bytes: the currency of request and response bodies.
///
/// A chunk shares its storage with its slices and copies, so passing one on or slicing it costs a reference count and
/// never a copy of the bytes. It is a value: nobody can change the bytes of a chunk that another task holds.
///
/// A slice keeps its whole storage alive. Code that keeps a small slice of a large chunk for long should copy it with
/// ``compacted()``.
public struct ByteChunk: Sendable {
  @usableFromInline let storage: [UInt8]
  @usableFromInline let lowerBound: Int
  @usableFromInline let upperBound: Int

  /// An empty chunk. It does not allocate.
  @inlinable
  public init() {
    storage = []
    lowerBound = 0
    upperBound = 0
  }

  /// Takes over `bytes` without copying them.
  @inlinable
  public init(_ bytes: [UInt8]) {
    storage = bytes
    lowerBound = 0
    upperBound = bytes.count
  }

  /// The UTF-8 bytes of `text`.
  @inlinable
  public init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// Copies `bytes`.
  public init(copying bytes: Span<UInt8>) {
    // SAFETY: the pointer is used only during the call.
    self.init(unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) })
  }

  init(storage: [UInt8], range: Range<Int>) {
    self.storage = storage
    let lower = Swift.min(Swift.max(range.lowerBound, 0), storage.count)
    lowerBound = lower
    upperBound = Swift.min(Swift.max(range.upperBound, lower), storage.count)
  }

  /// The number of bytes.
  @inlinable
  public var count: Int { upperBound - lowerBound }

  /// Whether the chunk has no bytes.
  @inlinable
  public var isEmpty: Bool { upperBound == lowerBound }

  /// The bytes, without a copy.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { storage.span.extracting(lowerBound..<upperBound) }
  }

  /// Calls `body` with the bytes, which are valid only during the call.
  ///
  /// - Throws: What `body` throws.
  @unsafe
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // SAFETY: the caller takes over: this method is marked unsafe for its closure.
    try unsafe span.withUnsafeBytes(body)
  }

  /// The first `maxLength` bytes, sharing the storage; all of them when there are fewer.
  public func prefix(_ maxLength: Int) -> ByteChunk {
    ByteChunk(storage: storage, range: lowerBound..<(lowerBound + Swift.min(Swift.max(0, maxLength), count)))
  }

  /// All but the first `k` bytes, sharing the storage; empty when there are not more.
  public func dropFirst(_ k: Int) -> ByteChunk {
    ByteChunk(storage: storage, range: (lowerBound + Swift.min(Swift.max(0, k), count))..<upperBound)
  }

  /// The same bytes in storage of their own when less than half of the present storage is in use.
  public func compacted() -> ByteChunk {
    count * 2 < storage.count ? ByteChunk(copying: span) : self
  }

  /// The bytes as an array; shares the storage when the chunk covers all of it.
  public var array: [UInt8] {
    count == storage.count ? storage : Array(storage[lowerBound..<upperBound])
  }
}

extension ByteChunk: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }
  /// ``count``.
  @inlinable public var endIndex: Int { upperBound - lowerBound }
  /// The byte at `position`, which must be in `0..<count`.
  @inlinable public subscript(position: Int) -> UInt8 { storage[lowerBound + position] }

  /// Gives the standard library's copies and searches direct access to the bytes.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    // SAFETY: the bounds are checked by the initialisers; `body` may use the pointer only during the call.
    try unsafe storage.withUnsafeBufferPointer { whole in
      try unsafe body(UnsafeBufferPointer(rebasing: whole[lowerBound..<upperBound]))
    }
  }
}

extension ByteChunk: Hashable {
  /// Whether both chunks hold equal bytes.
  public static func == (left: ByteChunk, right: ByteChunk) -> Bool {
    // SAFETY: neither pointer leaves the closures.
    unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    // SAFETY: the hasher reads the bytes during the call.
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

extension ByteChunk: CustomStringConvertible {
  /// The number of bytes; never their content, which may be secret.
  public var description: String { "\(count) bytes" }
}

extension [UInt8] {
  /// Copies the bytes of `chunk` in one piece; the standard library's generic `append` would go byte by byte.
  public mutating func append(contentsOf chunk: ByteChunk) {
    // SAFETY: the pointer is used only during the call.
    unsafe chunk.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Decodes a chunk as UTF-8; invalid bytes become U+FFFD.
  public init(_ chunk: ByteChunk) {
    // SAFETY: the pointer is used only during the call.
    self = unsafe chunk.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
