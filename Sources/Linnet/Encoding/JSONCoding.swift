public import FoundationEssentials

/// The JSON coders of the typed client.
///
/// Each call makes a new coder, so that nobody's change to one reaches another request. Dates are texts such as
/// `2026-03-09T08:05:03.120Z`: in UTC, with milliseconds. The decoder also takes dates without a fraction, with one of
/// another length, and with an offset such as `+09:00`. Keys stay as they are unless a strategy is given, and are written
/// in alphabetical order: the same value gives the same bytes in every attempt, which servers that compare the body of a
/// repeated `Idempotency-Key` rely on, and so do coalescing and cassettes.
public enum JSONCoding {
  /// A new encoder.
  ///
  /// - Parameter keys: How property names become keys. Default: unchanged.
  public static func encoder(
    keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  ) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = keys
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let text = ISO8601Milliseconds.text(date) else {
        // The number, not the date: printing a date that is not a number traps in Foundation (6.3.1).
        throw EncodingError.invalidValue(
          date.timeIntervalSince1970,
          EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "the date is out of range"))
      }
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
    return encoder
  }

  /// A new decoder.
  ///
  /// - Parameter keys: How keys become property names. Default: unchanged.
  public static func decoder(
    keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
  ) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = keys
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = ISO8601Milliseconds.date(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\"\(text.prefix(64))\" is not a date such as 2026-03-09T08:05:03.120Z")
      }
      return date
    }
    return decoder
  }

  /// A new encoder that writes `displayName` as `display_name`.
  public static var snakeCaseEncoder: JSONEncoder { encoder(keys: .convertToSnakeCase) }

  /// A new decoder that reads `display_name` into `displayName`.
  public static var snakeCaseDecoder: JSONDecoder { decoder(keys: .convertFromSnakeCase) }
}
