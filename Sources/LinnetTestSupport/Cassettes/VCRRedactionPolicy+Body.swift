internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

extension VCRRedactionPolicy {
  /// A response as it is stored.
  func redact(statusCode: Int, headers: HTTPHeaders, body: Data) -> VCRResponse {
    let stored = redactValues(in: body, contentType: headers["Content-Type"] ?? "")
    var response = VCRResponse(
      statusCode: statusCode, headers: redact(headers), body: redactResponseBody?(stored) ?? stored)
    // A length that the body no longer has would contradict the replayed response.
    if response.body.count != body.count, response.headers.contains("Content-Length") {
      response.headers.update("Content-Length", "\(response.body.count)")
    }
    return response
  }

  private func redactValues(in body: Data, contentType: String) -> Data {
    if sensitiveJSONKeys.isEmpty || body.isEmpty { return body }
    let keys = Set(sensitiveJSONKeys.map(Self.folded))
    let isSensitive = { (key: String) in keys.contains(Self.folded(key)) }
    let mediaType = contentType.prefix { $0 != ";" }.lowercased()
    if mediaType.contains("application/x-www-form-urlencoded") {
      return Data(redactItems(of: Array(body), isSensitive: isSensitive))
    }
    let bytes = Array(body)
    guard mediaType.contains("json") || Self.looksLikeJSON(bytes) else { return body }
    return Data(JSONValueRedaction.redact(bytes, replacement: replacement, isSensitive: isSensitive))
  }

  /// Replaces the values of sensitive items of a form.
  private func redactItems(of form: [UInt8], isSensitive: (String) -> Bool) -> [UInt8] {
    let items = form.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
      item -> ArraySlice<UInt8> in
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return item }
      let name = PercentEncoding.decode(String(decoding: item[..<equals], as: UTF8.self))
      guard isSensitive(String(decoding: name, as: UTF8.self)) else { return item }
      return item[...equals] + Array(replacement.utf8)
    }
    return Array(items.joined(separator: [UInt8(ascii: "&")]))
  }

  /// A key in the spelling in which keys are compared: `accessToken`, `access-token` and `ACCESS_TOKEN` are one.
  private static func folded(_ key: String) -> String {
    String(key.lowercased().filter { $0 != "_" && $0 != "-" })
  }

  /// Whether the first byte after space and a byte order mark opens an object or an array.
  private static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let first = text.first { !ASCII.isWhitespace($0) && $0 != ASCII.lf && $0 != ASCII.cr }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
