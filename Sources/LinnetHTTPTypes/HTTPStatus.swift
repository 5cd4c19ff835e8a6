/// A status code of a response (RFC 9110 §15).
///
/// Two statuses are equal when their codes are; the reason phrase of a response is in ``ResponseHead/reason`` and has
/// no meaning.
public struct HTTPStatus: Sendable, Hashable {
  /// The three-digit code, 100 to 999.
  public let code: Int

  /// Makes a status.
  ///
  /// - Returns: nil unless `code` is in 100...999: a status line has exactly three digits and the first is not 0
  ///   (RFC 9112 §4).
  public init?(code: Int) {
    guard (100...999).contains(code) else { return nil }
    self.code = code
  }

  /// For the named statuses, whose codes are in range.
  init(registered code: Int) { self.code = code }

  /// The class of a status, its first digit (RFC 9110 §15).
  public enum Kind: Sendable, Hashable {
    /// 1xx: an interim response; the final one follows.
    case informational
    /// 2xx: the request was understood and accepted.
    case successful
    /// 3xx: more action is needed to complete the request.
    case redirection
    /// 4xx: the request is wrong.
    case clientError
    /// 5xx: the server failed.
    case serverError
  }

  /// The class of the status. A code from 600 on, which no class owns, counts as a server error (RFC 9110 §15).
  public var kind: Kind {
    switch code {
    case ..<200: .informational
    case ..<300: .successful
    case ..<400: .redirection
    case ..<500: .clientError
    default: .serverError
    }
  }

  /// Whether the code is 2xx.
  public var isSuccessful: Bool { kind == .successful }
}

extension HTTPStatus: Comparable {
  /// Orders by code.
  public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.code < right.code }
}

extension HTTPStatus: CustomStringConvertible {
  /// The code and the registered phrase: `404 Not Found`.
  public var description: String {
    let phrase = reasonPhrase
    return phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
  }
}
