public import FoundationEssentials
internal import LinnetBytes
package import LinnetHTTP

extension MultipartFormData {
  /// How large a form without files may be to be put together in memory, where signers can see it: 16 MiB.
  package static var maximumAssembledBytes: Int { 16 << 20 }

  /// The number of bytes of the encoded form, exactly; `Int64.max` when it is larger than that.
  public var estimatedEncodedSize: Int64 {
    var size = UInt64(ending.count)
    for part in parts {
      let head = (try? part.head(in: self))?.count ?? 0
      let (sum, isOver) = size.addingReportingOverflow(part.size)
      size = isOver ? .max : sum &+ UInt64(head) &+ 2
    }
    return Int64(clamping: size)
  }

  /// The whole form in memory; files are read in the calling thread.
  ///
  /// - Parameter maxInMemoryBytes: How large it may be. Default 16 MiB. Larger forms are for streaming, which the client
  ///   does by itself.
  /// - Throws: ``MultipartError``, among others for a form that is larger, before anything is read.
  public func encode(maxInMemoryBytes: Int = 16 << 20) throws(MultipartError) -> Data {
    let size = estimatedEncodedSize
    guard size <= Int64(max(0, maxInMemoryBytes)) else { throw .tooLarge(size: size, limit: maxInMemoryBytes) }
    return Data(try assembled())
  }

  /// The form as the body of a request: in memory when it is small and has no files, and otherwise read while it is
  /// sent. Its length is known, and it can be sent again.
  ///
  /// - Throws: ``MultipartError`` for what is known to be wrong already.
  package func requestBody() throws(MultipartError) -> HTTPRequestBody {
    let size = estimatedEncodedSize
    let hasFiles = parts.contains { part in
      if case .file = part.content { return true }
      return false
    }
    if !hasFiles, size <= Int64(Self.maximumAssembledBytes) { return .bytes(try assembled()) }
    let pieces = try pieces()
    return .stream(length: UInt64(size)) { MultipartStream(pieces: pieces) }
  }

  private func assembled() throws(MultipartError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: estimatedEncodedSize))
    for piece in try pieces() {
      switch piece {
      case .bytes(let chunk): bytes.append(contentsOf: chunk)
      case .file(let source, let part, var search):
        let content: ByteChunk
        do throws(FileSource.Problem) { content = try source.readAll() } catch { throw part.error(error, of: source) }
        if search.finds(in: content) { throw .containsBoundary(part: part.name) }
        bytes.append(contentsOf: content)
      }
    }
    return bytes
  }

  /// The form in the order of its bytes.
  func pieces() throws(MultipartError) -> [MultipartPiece] {
    let search = BoundarySearch(boundary: boundary)
    var pieces: [MultipartPiece] = []
    for part in parts {
      pieces.append(.bytes(ByteChunk(try part.head(in: self))))
      switch part.content {
      case .bytes(let data):
        var searchHere = search
        if searchHere.finds(in: data) { throw .containsBoundary(part: part.name) }
        pieces.append(.bytes(ByteChunk([UInt8](data))))
      case .file(let source): pieces.append(.file(source, part, search))
      case .missing(let error): throw error
      }
      pieces.append(.bytes(ByteChunk("\r\n")))
    }
    pieces.append(.bytes(ByteChunk(ending)))
    return pieces
  }

  private var ending: [UInt8] { Array("--\(boundary)--\r\n".utf8) }
}

/// A run of bytes of an encoded form.
enum MultipartPiece: Sendable {
  case bytes(ByteChunk)
  case file(FileSource, MultipartFormPart, BoundarySearch)
}

/// The bytes of a form, one piece after the other; files in pieces of 64 KiB.
struct MultipartStream: AsyncSequence, Sendable {
  typealias Element = ByteChunk
  typealias Failure = MultipartError

  let pieces: [MultipartPiece]

  func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces) }

  struct Iterator: AsyncIteratorProtocol {
    private let pieces: [MultipartPiece]
    private var index = 0
    private var file: OpenPart?

    private struct OpenPart {
      var chunks: FileSource.Pieces.Iterator
      var search: BoundarySearch
    }

    init(pieces: [MultipartPiece]) { self.pieces = pieces }

    mutating func next() async throws(MultipartError) -> ByteChunk? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(MultipartError) -> ByteChunk? {
      while index < pieces.count {
        switch pieces[index] {
        case .bytes(let chunk):
          index += 1
          if !chunk.isEmpty { return chunk }
        case .file(let source, let part, let search):
          if let chunk = try await nextChunk(of: source, part, search) { return chunk }
          file = nil
          index += 1
        }
      }
      return nil
    }

    private mutating func nextChunk(
      of source: FileSource, _ part: MultipartFormPart, _ search: BoundarySearch
    ) async throws(MultipartError) -> ByteChunk? {
      var open = file ?? OpenPart(chunks: source.pieces().makeAsyncIterator(), search: search)
      let chunk: ByteChunk?
      do throws(FileSource.Problem) { chunk = try await open.chunks.next() } catch {
        throw part.error(error, of: source)
      }
      guard let chunk else { return nil }
      if open.search.finds(in: chunk) { throw .containsBoundary(part: part.name) }
      file = open
      return chunk
    }
  }
}
