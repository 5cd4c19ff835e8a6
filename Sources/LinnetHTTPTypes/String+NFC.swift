extension String {
  /// The text in Unicode normalisation form C (UAX #15).
  ///
  /// The standard library offers this only as an SPI, so it comes from the tables that IDNA needs anyway.
  package var normalizedNFC: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = String.UnicodeScalarView()
    let normalised = IDNATable.shared.normalisedToC(unicodeScalars.map(\.value))
    scalars.append(contentsOf: normalised.lazy.compactMap { Unicode.Scalar($0) })
    return String(scalars)
  }
}
