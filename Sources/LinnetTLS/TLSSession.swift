internal import CLinnetOpenSSL

/// A session ticket of a server: with it the next handshake skips the certificates (RFC 8446 §2.2, RFC 5077).
///
/// It stands for a verification that was made under one policy, so it may only be used for the same host under the same
/// policy; ``TLSSessionCache`` is keyed accordingly.
package struct TLSSession: Sendable {
  private let reference: SessionReference
  /// A TLS 1.3 ticket is used once, so that an observer cannot link connections (RFC 8446 §C.4).
  package let isSingleUse: Bool
  /// ``TLSContext/generation`` of the context under which it was made.
  package let generation: UInt64

  /// Takes over the caller's reference to an `SSL_SESSION`.
  @unsafe
  init(owning raw: OpaquePointer, generation: UInt64) {
    self.generation = generation
    self.reference = unsafe SessionReference(raw)
    isSingleUse = unsafe SSL_SESSION_get_protocol_version(raw) == TLS1_3_VERSION
  }

  /// Whether the library would offer it to a server.
  package var isResumable: Bool { unsafe SSL_SESSION_is_resumable(reference.raw) == 1 }

  /// Calls `body` with the object, which stays alive during the call.
  @unsafe
  func withRaw<R>(_ body: (OpaquePointer) -> R) -> R {
    withExtendedLifetime(reference) { unsafe body(reference.raw) }
  }
}

/// Owns one reference to an `SSL_SESSION`. Re-encoding sessions instead would parse the peer's certificate at every
/// resumption, which is most of what a resumption saves.
@safe
private final class SessionReference: @unchecked Sendable {
  // SAFETY: `raw` is never changed; OpenSSL counts references atomically and copies a session before it changes one
  // that was given to it.
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe SSL_SESSION_free(raw) }
}
