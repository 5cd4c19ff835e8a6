internal import FoundationEssentials
internal import LinnetHTTP

/// A body that stays the same between signing and sending.
struct BodySnapshot: Sendable {
  /// What signers are shown.
  let signedBody: RequestBody
  /// What is sent.
  let sentBody: HTTPRequestBody?
  private let folder: URL?

  /// - Throws: ``NetworkError/configuration(reason:)`` for a stream, whose bytes no signer can see before they are sent;
  ///   ``NetworkError/underlying(_:_:)`` when a file cannot be copied.
  static func make(of body: HTTPRequestBody?) async throws(NetworkError) -> BodySnapshot {
    guard let body else { return BodySnapshot(signedBody: .none, sentBody: nil, folder: nil) }
    if let bytes = body.bytesInMemory {
      return BodySnapshot(signedBody: .data(Data(bytes)), sentBody: body, folder: nil)
    }
    guard let path = body.filePath else { return try await collected(body) }
    // A folder that only this user can enter: the copy may get the permissions of the original.
    let folder = FileManager.default.temporaryDirectory.appending(path: "linnet.signed.\(UUID().uuidString)")
    let original = URL(filePath: path).resolvingSymlinksInPath()
    let copy = folder.appending(path: "body")
    do {
      let type = try FileManager.default.attributesOfItem(atPath: original.path)[.type] as? FileAttributeType
      guard type == .typeRegular else {
        throw NetworkError.configuration(
          reason: .invalidRequest("the body \(path) is not a regular file and cannot be signed"))
      }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try FileManager.default.copyItem(at: original, to: copy)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw .map(error)
    }
    return BodySnapshot(signedBody: .file(copy), sentBody: .file(copy.path), folder: folder)
  }

  /// A stream is signed and sent from memory: nobody can see its bytes before it is read.
  private static func collected(_ body: HTTPRequestBody) async throws(NetworkError) -> BodySnapshot {
    do throws(TransportError) {
      let bytes = try await body.collect(upTo: maximumStreamBytes)
      return BodySnapshot(signedBody: .data(Data(bytes)), sentBody: .chunk(bytes), folder: nil)
    } catch {
      throw error.code == .bodyTooLarge
        ? .configuration(
          reason: .invalidRequest(
            "a streamed body of more than \(maximumStreamBytes) bytes cannot be signed; use a file"))
        : NetworkError(error)
    }
  }

  private static var maximumStreamBytes: Int { 64 << 20 }

  func remove() {
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }
}
