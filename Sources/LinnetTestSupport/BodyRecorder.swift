internal import LinnetBytes
internal import LinnetTLS

/// Collects a request body up to a limit, and its digest and its comparison with ``TestPattern`` beyond it.
struct BodyRecorder: ~Copyable {
  private(set) var body = RecordedBody()
  private let limit: Int
  private var kept: [UInt8] = []
  private var digest: Digest?

  init(limit: Int) {
    self.limit = limit
    digest = try? Digest(.sha256)
  }

  mutating func chunkStarted(size: UInt64) {
    if body.chunkSizes.count < 1000 { body.chunkSizes.append(size) }
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty else { return }
    digest?.update(Span(_unsafeElements: bytes))
    if body.matchesTestPattern { body.matchesTestPattern = TestPattern.isPattern(bytes, from: body.count) }
    body.count &+= UInt64(bytes.count)
    if body.count <= UInt64(max(0, limit)) {
      kept.append(contentsOf: bytes)
    } else {
      kept = []
    }
  }

  mutating func finish() -> RecordedBody {
    var body = body
    if body.count > 0, let digest = digest.take() { body.sha256 = Self.hexadecimal(digest.finalize()) }
    body.bytes = body.count <= UInt64(max(0, limit)) ? kept : nil
    return body
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [ASCII.lowercaseHexDigit($0 >> 4), ASCII.lowercaseHexDigit($0)] }, as: UTF8.self)
  }
}
