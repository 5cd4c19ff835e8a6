@_spi(_Unicode) internal import Swift

extension String {
  /// The text in Unicode normalisation form C (UAX #15).
  ///
  /// The standard library normalises to compare strings, with its own Unicode tables, and offers the result only as
  /// this SPI. That is still the better source than a second copy of the tables or Foundation.
  package var normalizedNFC: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in _nfc { scalars.append(scalar) }
    return String(scalars)
  }
}
