/// Why a coded body could not be decoded. Total: these are all the ways in which it can fail.
package enum CompressionError: Error, Equatable, Sendable {
  /// The bytes are not what the coding's name says, or a check sum is wrong. `detail` is zlib's own description.
  case corrupt(coding: String, detail: String)
  /// The body ended before the coded stream did.
  case truncated(coding: String)
  /// The decoded body is larger than ``DecompressionLimits/maximumExpandedBytes``.
  case expandedSizeExceeded(limit: UInt64)
  /// The decoded body is too large for the bytes it came from: ``DecompressionLimits/maximumRatio`` was exceeded when
  /// `coded` bytes had given `expanded` bytes.
  case ratioExceeded(limit: UInt64, coded: UInt64, expanded: UInt64)
  /// More than ``ContentDecoder/maximumCodings`` codings were stacked.
  case tooManyCodings(limit: Int)
  /// zlib could not allocate its state.
  case outOfMemory
}

extension CompressionError: CustomStringConvertible {
  /// One line; names the limit and its setting where one was exceeded.
  package var description: String {
    switch self {
    case .corrupt(let coding, let detail):
      "the \(coding) body is corrupt: \(detail)"
    case .truncated(let coding):
      "the \(coding) body ended before its compressed stream was complete"
    case .expandedSizeExceeded(let limit):
      "the decoded body is larger than \(limit) bytes (setting: maximumExpandedBytes)"
    case .ratioExceeded(let limit, let coded, let expanded):
      "\(coded) coded bytes gave \(expanded) decoded bytes, more than \(limit) times as many (setting: maximumRatio)"
    case .tooManyCodings(let limit):
      "the body has more than \(limit) content codings"
    case .outOfMemory:
      "no memory for the decompressor"
    }
  }
}
