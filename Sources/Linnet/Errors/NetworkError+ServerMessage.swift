internal import FoundationEssentials

extension NetworkError {
  /// The server's own account of what is wrong, from a JSON body: the fields `error`, `message` or `detail` (the first
  /// that is there), or `message` or `detail` below `error` or below the first of `errors`; in `application/problem+json`
  /// (RFC 9457 §3.1) `detail`, or else `title`.
  ///
  /// Nil unless the client captures failure payloads, because the body is dropped otherwise. The text is the server's:
  /// on one line and at most 500 characters, but otherwise to be shown with care.
  public var serverMessage: String? {
    guard let response, !response.data.isEmpty, response.data.count <= 1 << 20 else { return nil }
    guard let fields = try? JSONDecoder().decode(ServerMessageFields.self, from: response.data) else { return nil }
    let mediaType = response.headers["Content-Type"]?.lowercased() ?? ""
    let message = mediaType.hasPrefix("application/problem+json") ? fields.problem ?? fields.message : fields.message
    return message.map { String(ErrorLine.singleLine($0).prefix(500)) }
  }
}

/// The fields of an error body in which servers say what is wrong. Fields of another type than expected do not matter.
private struct ServerMessageFields: Decodable {
  var message: String?
  var problem: String?

  private enum Key: String, CodingKey {
    case error, errors, message, detail, title
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func text(_ key: Key) -> String? {
      guard let text = try? fields.decode(String.self, forKey: key), !text.isEmpty else { return nil }
      return text
    }
    let nested =
      (try? fields.decode(ServerMessageFields.self, forKey: .error))?.message
      ?? (try? fields.decode([ServerMessageFields].self, forKey: .errors))?.first?.message
    message = text(.error) ?? nested ?? text(.message) ?? text(.detail) ?? text(.title)
    problem = text(.detail) ?? text(.title)
  }
}
