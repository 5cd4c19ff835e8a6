internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

extension HTTPRequestBody {
  /// The whole body in memory, read as sending it would: for transports of one's own, and for what has to see a body
  /// before it is sent.
  ///
  /// A one-shot stream, or a file that is a pipe, is used up by this; send the returned bytes instead then.
  ///
  /// - Parameter limit: The most bytes that are collected.
  /// - Throws: `requestBodyFailed` for a file that cannot be read and a stream that throws or does not have the length
  ///   that it was given; `bodyNotReplayable` for a one-shot body that was read before; `bodyTooLarge` above the limit;
  ///   `cancelled`. The phase is `request`, and nothing was sent.
  public func collect(upTo limit: Int) async throws(TransportError) -> ByteChunk {
    do throws(TransportFailure) {
      return try await collectNow(upTo: limit)
    } catch {
      throw TransportError(error.at(.request), context: TransportError.Context())
    }
  }

  private func collectNow(upTo limit: Int) async throws(TransportFailure) -> ByteChunk {
    if let knownLength, knownLength > UInt64(clamping: limit) { throw Self.tooLarge(limit) }
    switch source {
    case .bytes(let bytes):
      return bytes
    case .file(let path, let mark):
      if mark.isSet { throw Self.notReplayable }
      let file = try await UploadFile.open(path: path, shards: .shared)
      if file.size == nil { mark.set() }
      return try await Self.collect(file, upTo: limit)
    case .replayable(let length, let make):
      return try await Self.collect(make(), length: length, upTo: limit)
    case .oneShot(let length, let stream):
      guard let taken = stream.take() else { throw Self.notReplayable }
      return try await Self.collect(taken, length: length, upTo: limit)
    }
  }

  private static func collect(_ file: UploadFile, upTo limit: Int) async throws(TransportFailure) -> ByteChunk {
    if let size = file.size, size > UInt64(clamping: limit) { throw tooLarge(limit) }
    var all = [UInt8]()
    while true {
      let part = try await file.read(at: UInt64(all.count), upTo: 256 << 10)
      if part.isEmpty { return ByteChunk(all) }
      guard part.count <= limit - all.count else { throw tooLarge(limit) }
      all.append(contentsOf: part)
    }
  }

  private static func collect(
    _ stream: any AsyncSequence<ByteChunk, any Error> & Sendable, length: UInt64?, upTo limit: Int
  ) async throws(TransportFailure) -> ByteChunk {
    var all = [UInt8]()
    do {
      for try await chunk in stream {
        guard chunk.count <= limit - all.count else { throw tooLarge(limit) }
        all.append(contentsOf: chunk)
      }
    } catch let failure as TransportFailure {
      throw failure
    } catch {
      if Task.isCancelled || error is CancellationError { throw .cancelled }
      throw TransportFailure(
        code: .requestBodyFailed, phase: .request, reason: "the request's body stream failed", underlying: error)
    }
    // A stream ends early when its task is cancelled; what it gave until then is not the body.
    if Task.isCancelled { throw .cancelled }
    if let length, length != UInt64(all.count) {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .request,
        reason: "the request's body stream gave \(all.count) bytes, not the \(length) that were announced")
    }
    return ByteChunk(all)
  }

  static var notReplayable: TransportFailure {
    TransportFailure(
      code: .bodyNotReplayable, phase: .send,
      reason: "the request's one-shot body was sent once and cannot be replayed")
  }

  private static func tooLarge(_ limit: Int) -> TransportFailure {
    TransportFailure(
      code: .bodyTooLarge, phase: .request, reason: "the request's body exceeds the cap of \(limit) bytes")
  }
}
