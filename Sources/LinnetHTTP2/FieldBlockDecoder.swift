internal import CLinnetNGHTTP2

/// One field of a field block, as bytes: HPACK knows no rules for names and values.
package struct HPACKField: Sendable, Hashable {
  package var name: [UInt8]
  package var value: [UInt8]
  /// The field is never put into a table, by nobody on its way (RFC 7541 §6.2.3): a secret.
  package var isNeverIndexed: Bool

  package init(name: [UInt8], value: [UInt8], isNeverIndexed: Bool = false) {
    self.name = name
    self.value = value
    self.isNeverIndexed = isNeverIndexed
  }

  package init(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
    self.init(name: Array(name.utf8), value: Array(value.utf8), isNeverIndexed: isNeverIndexed)
  }

  /// What the field counts for in a section: 32 bytes are added for the bookkeeping (RFC 9113 §6.5.2).
  package var sectionBytes: Int { name.count + value.count + 32 }
}

/// HPACK decompression (RFC 7541) of the field blocks of one direction of one connection.
///
/// A block may come in pieces. One that expands beyond the limit is decoded to its end without being kept, because the
/// blocks after it refer to what it put into the table; so the error of a large section costs one stream, and only that
/// of a broken block costs the connection.
///
/// Not `Sendable`: whoever decodes keeps it.
@safe
package struct FieldBlockDecoder: ~Copyable {
  // SAFETY: `inflater` is made by `init`, freed by `deinit`, and used by `mutating` functions of the one owner.
  private let inflater: OpaquePointer
  private let maximumSectionBytes: Int
  /// The bytes of the present section, those of fields that were dropped included.
  private var sectionBytes = 0
  private var isBroken = false

  /// - Parameters:
  ///   - tableBytes: The SETTINGS_HEADER_TABLE_SIZE that the peer was told; 4,096 until it is told something else.
  ///   - maximumSectionBytes: The limit of one section, of expanded fields with 32 bytes for each.
  /// - Throws: ``HTTP2Error/Reason/outOfMemory``.
  package init(tableBytes: Int = 4096, maximumSectionBytes: Int = .max) throws(HTTP2Error) {
    // SAFETY: nghttp2 writes the pointer when it answers 0.
    var made: OpaquePointer?
    guard unsafe nghttp2_hd_inflate_new(&made) == 0, let inflater = unsafe made else {
      throw HTTP2Error(.connection, .local, .internalError, .outOfMemory)
    }
    unsafe self.inflater = inflater
    self.maximumSectionBytes = maximumSectionBytes
    // Can only fail inside of a block.
    if tableBytes != 4096 { unsafe nghttp2_hd_inflate_change_table_size(inflater, max(0, tableBytes)) }
  }

  deinit {
    // SAFETY: freed once, by the one owner.
    unsafe nghttp2_hd_inflate_del(inflater)
  }

  /// Changes the bound of the table, once the peer has acknowledged the setting. Only between blocks. After a smaller
  /// bound the next block must begin by stating the table's new size (RFC 7541 §4.2).
  package mutating func setTableBytes(_ count: Int) throws(HTTP2Error) {
    // SAFETY: the object lives as long as `self`.
    let result = unsafe nghttp2_hd_inflate_change_table_size(inflater, max(0, count))
    guard result == 0 else { throw HTTP2Error(.connection, .local, .internalError, .unexpected(library: result)) }
  }

  /// Decodes a piece of a block.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes of the block; any number of them.
  ///   - endsBlock: Nothing of the block follows.
  ///   - fields: Gets the fields that are complete now.
  /// - Throws: With scope `.stream` at the end of a block whose section is larger than the limit; the decoder can be
  ///   used further. With scope `.connection` when the block is broken: every later call fails too.
  package mutating func decode(
    _ bytes: [UInt8], endsBlock: Bool, into fields: inout [HPACKField]
  ) throws(HTTP2Error) {
    if !isBroken {
      // SAFETY: the pointer and the count are those of one buffer.
      unsafe bytes.withUnsafeBufferPointer { bytes in unsafe inflate(bytes, endsBlock: endsBlock, into: &fields) }
    }
    guard !isBroken else { throw HTTP2Error(.connection, .remote, .compressionError, .compression) }
    guard endsBlock else { return }
    let isTooLarge = sectionBytes > maximumSectionBytes
    sectionBytes = 0
    if isTooLarge {
      throw HTTP2Error(.stream, .remote, .enhanceYourCalm, .fieldSectionTooLarge(limit: maximumSectionBytes))
    }
  }

  private mutating func inflate(
    _ bytes: UnsafeBufferPointer<UInt8>, endsBlock: Bool, into fields: inout [HPACKField]
  ) {
    var used = 0
    while true {
      // SAFETY: nghttp2 reads `bytes.count - used` bytes from `used` on; what it gives as a field is valid until the next
      // call, and copied before.
      var field = unsafe nghttp2_nv()
      var flags: CInt = 0
      let start = unsafe bytes.baseAddress.map { unsafe $0 + used }
      let count = unsafe nghttp2_hd_inflate_hd2(
        inflater, &field, &flags, start, bytes.count - used, endsBlock ? 1 : 0)
      guard count >= 0 else {
        isBroken = true
        return
      }
      used += count
      let isField = UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0
      if isField { unsafe keep(field, in: &fields) }
      if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
        unsafe nghttp2_hd_inflate_end_headers(inflater)
        return
      }
      if !isField && used >= bytes.count { return }
    }
  }

  private mutating func keep(_ field: nghttp2_nv, in fields: inout [HPACKField]) {
    // SAFETY: nghttp2 gives lengths of at most 64 KiB that belong to its pointers.
    let size = unsafe field.namelen &+ field.valuelen &+ 32
    sectionBytes = sectionBytes.addingReportingOverflow(size).overflow ? .max : sectionBytes + size
    guard sectionBytes <= maximumSectionBytes else { return }
    let name = unsafe UnsafeBufferPointer(start: field.name, count: field.namelen)
    let value = unsafe UnsafeBufferPointer(start: field.value, count: field.valuelen)
    let isNeverIndexed = unsafe UInt32(field.flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0
    fields.append(unsafe HPACKField(name: Array(name), value: Array(value), isNeverIndexed: isNeverIndexed))
  }
}
