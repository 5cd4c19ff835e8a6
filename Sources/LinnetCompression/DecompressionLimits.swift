/// How far a coded body may expand. The defence against decompression bombs.
///
/// A streamed body needs no more than one chunk of memory however far it expands, and a collected one has its own cap,
/// so the default stops only what no honest server sends.
package struct DecompressionLimits: Sendable, Hashable {
  /// The most bytes a body may decode to, whatever its ratio. Default: nil, no bound, because whoever collects a body
  /// bounds it, and whoever streams one may want all of it.
  package var maximumExpandedBytes: UInt64?

  /// The most decoded bytes for each coded byte, once ``ratioFloorBytes`` were decoded; nil switches the check off.
  ///
  /// Default: 250, above Apache's 200 (`DeflateInflateRatioLimit`), because `gzip -1` packs zeros 229:1. Text rarely
  /// passes 50, deflate ends at 1,032. A default of 25 (AsyncHTTPClient) or 10 refused real JSON.
  package var maximumRatio: UInt64?

  /// Below this many decoded bytes the ratio does not matter. Default: 16 MiB: harmless to hold, and more than the
  /// highly repetitive short bodies that real services send.
  package var ratioFloorBytes: UInt64

  package init(
    maximumExpandedBytes: UInt64? = nil, maximumRatio: UInt64? = 250, ratioFloorBytes: UInt64 = 16 << 20
  ) {
    self.maximumExpandedBytes = maximumExpandedBytes
    self.maximumRatio = maximumRatio
    self.ratioFloorBytes = ratioFloorBytes
  }

  /// No limit at all.
  package static var unlimited: DecompressionLimits {
    DecompressionLimits(maximumExpandedBytes: nil, maximumRatio: nil)
  }

  /// The violated limit, if `expanded` bytes from `coded` bytes violate one.
  func violation(coded: UInt64, expanded: UInt64) -> CompressionError? {
    if let maximumExpandedBytes, expanded > maximumExpandedBytes {
      return .expandedSizeExceeded(limit: maximumExpandedBytes)
    }
    if let maximumRatio, expanded > ratioFloorBytes {
      let (allowed, overflow) = coded.multipliedReportingOverflow(by: maximumRatio)
      if !overflow && expanded > allowed {
        return .ratioExceeded(limit: maximumRatio, coded: coded, expanded: expanded)
      }
    }
    return nil
  }
}
