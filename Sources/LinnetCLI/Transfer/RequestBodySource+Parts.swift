internal import LinnetHTTP

extension RequestBodySource {
  /// The body for one sending, read by the command itself.
  ///
  /// - Parameters:
  ///   - offset: How many bytes at the beginning are left out. Less than the size, which is known then.
  ///   - bytesPerSecond: How fast it is sent at most; nil: as fast as it goes.
  ///   - onPiece: Called with each piece when it is sent.
  func makeStream(
    from offset: UInt64, bytesPerSecond: UInt64?, onPiece: @escaping @Sendable (ByteChunk) async -> Void
  ) -> HTTPRequestBody? {
    let source: UploadStream.Source
    let length = size.map { $0 - min(offset, $0) }
    switch content {
    case .none: return nil
    case .bytes(let bytes): source = .bytes(ByteChunk(bytes).dropFirst(Int(clamping: offset)))
    case .file(let path, _): source = .file(path: path, offset: offset, count: length)
    case .standardInput: source = .standardInput
    }
    let stream = UploadStream(source: source, bytesPerSecond: bytesPerSecond, onPiece: onPiece)
    guard let length else { return .oneShot(stream) }
    return .stream(length: isChunked ? nil : length) { stream }
  }
}
