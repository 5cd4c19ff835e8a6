internal import FoundationEssentials
internal import LinnetHTTP

/// Lets signers cover the request as it will be sent.
struct SignerStage: Sendable {
  let clientSigners: [any RequestSigner]

  /// The signers of a request in their order. The client's own do not sign for another origin: a signature is a
  /// credential.
  func signers(for blueprint: RequestBlueprint, isOwnOrigin: Bool) -> [any RequestSigner] {
    isOwnOrigin ? clientSigners + blueprint.requestSigners : blueprint.requestSigners
  }

  /// Signs `request` and passes it on. A file body is copied first, so that what was signed is what is sent; the copy is
  /// gone when this returns or throws.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` for a body that can be read only once, what a signer throws, and
  ///   what `next` throws.
  func execute(
    _ request: HTTPRequest, signers: [any RequestSigner], next: NextStage
  ) async throws(NetworkError) -> Response {
    guard !signers.isEmpty else { return try await next(request) }
    let snapshot = try await BodySnapshot.make(of: request.body)
    defer { snapshot.remove() }
    var signed = request
    signed.body = snapshot.sentBody
    for signer in signers {
      do {
        let headers = try await signer.signatureHeaders(for: signed, body: snapshot.signedBody)
        signed.headers.replaceFields(with: headers)
      } catch {
        throw .ofUserCode(error)
      }
    }
    return try await next(signed)
  }
}
