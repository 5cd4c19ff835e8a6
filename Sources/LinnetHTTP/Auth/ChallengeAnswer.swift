internal import LinnetHTTPTypes

/// The value of an `Authorization` or `Proxy-Authorization` field. Bytes, because a realm that is sent back need not be
/// UTF-8.
struct ChallengeAnswer: Sendable {
  private let peer: ChallengePeer
  private let value: [UInt8]

  init(to peer: ChallengePeer, value: [UInt8]) {
    self.peer = peer
    self.value = value
  }

  /// Puts it in the place of a field of that name. The name alone makes it sensitive.
  func set(in headers: inout HTTPHeaders) {
    headers.remove(peer.answerField)
    headers.appendUnchecked(name: peer.answerField.utf8Span.span, value: value.span)
  }
}

extension ChallengeAnswer: CustomStringConvertible, CustomReflectable {
  /// The field's name, not its value.
  var description: String { "\(peer.answerField): <redacted>" }

  var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
