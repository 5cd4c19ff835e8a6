internal import CLinnetOpenSSL

/// One entry of OpenSSL's per-thread error queue.
///
/// The queue is global state: every call that may fail is preceded by ``clearQueue()``, because `SSL_get_error` would
/// take an old entry for a new one, and a failure is followed by ``drainQueue()``, so that nothing is left behind for
/// other code of the process.
struct OpenSSLError: Equatable {
  /// `ERR_LIB_…`.
  let library: Int32
  /// The reason code of the library, or an `errno`.
  let reason: Int32
  /// The reason in words.
  let text: String

  static func clearQueue() {
    _ = libraryIsStarted
    ERR_clear_error()
  }

  /// OpenSSL's own start-up takes milliseconds: it happens at the first use and not before.
  private static let libraryIsStarted = linnet_start() == 1

  /// Takes all entries, the oldest (the cause) first.
  static func drainQueue() -> [OpenSSLError] {
    var entries: [OpenSSLError] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return entries }
      entries.append(OpenSSLError(code: code))
    }
  }

  private init(code: UInt) {
    library = ERR_GET_LIB(code)
    reason = ERR_GET_REASON(code)
    var buffer = [CChar](repeating: 0, count: 256)
    // SAFETY: the wrapper writes at most the given capacity, terminates the text, and returns a part of it.
    text = unsafe buffer.withUnsafeMutableBufferPointer { room in
      unsafe linnet_error_text(code, room.baseAddress, room.count).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// The cause of the last failure in words; drains the queue.
  static func lastReason() -> String {
    drainQueue().first?.text ?? "unknown error"
  }

  /// The fatal alert that the peer sent, when this entry stands for one: OpenSSL adds the alert's number to 1000.
  var receivedAlert: String? {
    guard library == ERR_LIB_SSL, reason > SSL_AD_REASON_OFFSET, reason <= SSL_AD_REASON_OFFSET + 255 else {
      return nil
    }
    return Self.alertName(reason - SSL_AD_REASON_OFFSET)
  }

  /// No loaded provider has the algorithm.
  var isUnsupportedAlgorithm: Bool {
    (library == ERR_LIB_EVP || library == ERR_LIB_PKCS12) && text.utf8.elementsEqual("unsupported".utf8)
      || library == ERR_LIB_EVP && (reason == EVP_R_UNSUPPORTED_ALGORITHM || reason == EVP_R_UNKNOWN_PBE_ALGORITHM)
  }

  func isSSL(_ reason: Int32) -> Bool { library == ERR_LIB_SSL && self.reason == reason }

  /// RFC 7301 §3.2.
  static let noApplicationProtocol = "no application protocol"

  /// The name of an alert in words (RFC 8446 §6, RFC 5246 §7.2, RFC 7301 §3.2).
  private static func alertName(_ number: Int32) -> String {
    switch number {
    case 0: "close notify"
    case 10: "unexpected message"
    case 20: "bad record MAC"
    case 21: "decryption failed"
    case 22: "record overflow"
    case 30: "decompression failure"
    case 40: "handshake failure"
    case 41: "no certificate"
    case 42: "bad certificate"
    case 43: "unsupported certificate"
    case 44: "certificate revoked"
    case 45: "certificate expired"
    case 46: "certificate unknown"
    case 47: "illegal parameter"
    case 48: "unknown CA"
    case 49: "access denied"
    case 50: "decode error"
    case 51: "decrypt error"
    case 60: "export restriction"
    case 70: "protocol version"
    case 71: "insufficient security"
    case 80: "internal error"
    case 86: "inappropriate fallback"
    case 90: "user cancelled"
    case 100: "no renegotiation"
    case 109: "missing extension"
    case 110: "unsupported extension"
    case 112: "unrecognized name"
    case 113: "bad certificate status response"
    case 115: "unknown PSK identity"
    case 116: "certificate required"
    case 120: noApplicationProtocol
    default: "alert \(number)"
    }
  }
}
