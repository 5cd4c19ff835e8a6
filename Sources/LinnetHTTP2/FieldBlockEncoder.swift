internal import CLinnetNGHTTP2

/// HPACK compression (RFC 7541) of the field blocks of one direction of one connection.
///
/// Not `Sendable`: whoever encodes keeps it.
@safe
package struct FieldBlockEncoder: ~Copyable {
  // SAFETY: `deflater` is made by `init`, freed by `deinit`, and used by `mutating` functions of the one owner.
  private let deflater: OpaquePointer
  private var isBroken = false

  /// - Parameter tableBytes: The largest table that is ever used, whatever the peer allows; 4,096, the default, is what it
  ///   allows until it says something else.
  /// - Throws: ``HTTP2Error/Reason/outOfMemory``.
  package init(tableBytes: Int = 4096) throws(HTTP2Error) {
    // SAFETY: nghttp2 writes the pointer when it answers 0.
    var made: OpaquePointer?
    guard unsafe nghttp2_hd_deflate_new(&made, max(0, tableBytes)) == 0, let deflater = unsafe made else {
      throw HTTP2Error(.connection, .local, .internalError, .outOfMemory)
    }
    unsafe self.deflater = deflater
  }

  deinit {
    // SAFETY: freed once, by the one owner.
    unsafe nghttp2_hd_deflate_del(deflater)
  }

  /// The peer's SETTINGS_HEADER_TABLE_SIZE. The next block tells it which size is used (RFC 7541 §4.2).
  package mutating func setTableBytes(_ count: Int) throws(HTTP2Error) {
    // SAFETY: the object lives as long as `self`.
    let result = unsafe nghttp2_hd_deflate_change_table_size(deflater, max(0, count))
    guard result == 0 else { throw HTTP2Error(.connection, .local, .internalError, .unexpected(library: result)) }
  }

  /// The block of these fields, whose names and values are written as they are.
  ///
  /// - Throws: When memory is short; every later call fails too, because the tables of both sides may differ.
  package mutating func encode(_ fields: [HPACKField]) throws(HTTP2Error) -> [UInt8] {
    var text: [UInt8] = []
    for field in fields {
      text += field.name
      text += field.value
    }
    // Never empty, so that the pointers to an empty name or value are valid too.
    text.append(0)
    // SAFETY: the pointers of the entries and their lengths lie in `text`, which nghttp2 only reads, during the call;
    // it writes at most the bound that it was asked for.
    let block: [UInt8]? = unsafe text.withUnsafeMutableBufferPointer { text in
      guard !isBroken, var position = text.baseAddress else { return nil }
      var entries: [nghttp2_nv] = unsafe []
      for field in fields {
        let flags = field.isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
        unsafe entries.append(
          nghttp2_nv(
            name: position, value: position + field.name.count, namelen: field.name.count,
            valuelen: field.value.count, flags: UInt8(truncatingIfNeeded: flags.rawValue)))
        unsafe position += field.name.count + field.value.count
      }
      let bound = unsafe nghttp2_hd_deflate_bound(deflater, &entries, entries.count)
      var output = [UInt8](repeating: 0, count: bound)
      let count = unsafe nghttp2_hd_deflate_hd(deflater, &output, bound, &entries, entries.count)
      guard count >= 0, count <= bound else { return nil }
      output.removeLast(bound - count)
      return output
    }
    guard let block else {
      isBroken = true
      throw HTTP2Error(.connection, .local, .internalError, .compression)
    }
    return block
  }
}
