internal import LinnetHTTP

/// Whether a form is put together in memory before it is sent, or read from its files while it is sent. The bytes are the
/// same.
///
/// A form in memory is sent again unchanged when its files have changed meanwhile; a streamed one needs no memory.
public enum MultipartUploadStrategy: Sendable, Hashable {
  /// In memory; a form that is larger than `maxBytes` is refused before anything is read or sent.
  case inMemory(maxBytes: Int)
  /// In memory up to `bytes`, streamed when it is larger.
  case streamingThreshold(bytes: Int)
  /// Always streamed.
  case alwaysStream

  /// ``streamingThreshold(bytes:)`` of at least one byte.
  public static func threshold(bytes: Int) -> MultipartUploadStrategy { .streamingThreshold(bytes: max(1, bytes)) }

  /// In memory up to 16 MiB, as on all platforms that are not desktops of Apple's.
  public static var platformDefault: MultipartUploadStrategy { .threshold(bytes: 16 << 20) }
}

extension MultipartFormData {
  /// The form as the body of a request. Its length is known, and it can be sent again.
  ///
  /// - Throws: ``NetworkError/configuration(reason:)`` for a form that cannot be sent; the error of reading a file.
  func requestBody(_ strategy: MultipartUploadStrategy) async throws(NetworkError) -> HTTPRequestBody {
    let size = estimatedEncodedSize
    let limit: Int
    switch strategy {
    case .alwaysStream: return try streamedBody(size)
    case .streamingThreshold(let bytes):
      guard size <= Int64(bytes) else { return try streamedBody(size) }
      limit = bytes
    case .inMemory(let maximum):
      limit = max(0, maximum)
      guard size <= Int64(limit) else { throw Self.refusal(.tooLarge(size: size, limit: limit)) }
    }
    let body = try streamedBody(size)
    do throws(TransportError) {
      return .chunk(try await body.collect(upTo: limit))
    } catch {
      throw NetworkError(error)
    }
  }

  private func streamedBody(_ size: Int64) throws(NetworkError) -> HTTPRequestBody {
    do throws(MultipartError) {
      let pieces = try pieces()
      return .stream(length: UInt64(clamping: size)) { MultipartStream(pieces: pieces) }
    } catch {
      throw Self.refusal(error)
    }
  }

  private static func refusal(_ error: MultipartError) -> NetworkError {
    .configuration(reason: .invalidRequest("the multipart form cannot be sent: \(error)"))
  }
}
