internal import Glibc
internal import LinnetHTTP

/// The body that the options ask for. Files of `-d` are read when it is made, so that a missing one is found before
/// anything is sent; files of `-T` and of a single `--data-binary` are streamed.
struct RequestBodySource: Sendable {
  enum Content: Sendable {
    case none
    case bytes([UInt8])
    /// A file by a path that the library can open.
    case file(path: String, size: UInt64?)
    case standardInput
  }

  var content: Content
  /// Without `Content-Length`, whatever is known: the user asked for chunked coding.
  var isChunked = false

  init(_ options: CommandLineOptions) throws(CommandError) {
    if let upload = options.uploadFile {
      content = upload.isDash ? .standardInput : try Self.file(upload)
      return
    }
    guard let first = options.data.first, !options.sendsDataInQuery else {
      content = .none
      return
    }
    if options.data.count == 1, case .file(let path) = first.source, !first.dropsLineEnds, first.encodedAfter == nil,
      !path.isDash
    {
      content = try Self.file(path)
      return
    }
    content = .bytes(try Self.bytes(of: options.data, within: options.connection.maximumTime))
  }

  /// The pieces, joined with `&` where they are form data.
  ///
  /// - Parameter limit: How long each file is waited for at most.
  static func bytes(
    of pieces: [CommandLineOptions.DataPiece], within limit: Duration?
  ) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      if index > 0 && piece.isFormData { bytes.append(UInt8(ascii: "&")) }
      var content: [UInt8]
      switch piece.source {
      case .bytes(let given): content = given
      case .file(let path):
        content = try InputFile.contents(of: path, within: limit)
        if piece.dropsLineEnds { content.removeAll { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }
      }
      if let prefix = piece.encodedAfter {
        bytes += prefix + Array(URLArgument.formValue(content).utf8)
      } else {
        bytes += content
      }
    }
    return bytes
  }

  private static func file(_ argument: Argument) throws(CommandError) -> Content {
    let status = try InputFile.status(of: argument)
    let size = status.st_mode & S_IFMT == S_IFREG ? UInt64(clamping: status.st_size) : nil
    if let path = argument.exactText { return .file(path: path, size: size) }
    guard let path = InputFile.standIn(for: argument) else { throw InputFile.unreadable(argument, errno) }
    return .file(path: path, size: size)
  }

  /// The number of bytes, when it is known.
  var size: UInt64? {
    switch content {
    case .none: 0
    case .bytes(let bytes): UInt64(bytes.count)
    case .file(_, let size): size
    case .standardInput: nil
    }
  }

  /// The framing field that the client adds, for `-v`.
  var framingLine: String? {
    if case .none = content { return nil }
    return isChunked
      ? "Transfer-Encoding: chunked" : size.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
  }

  /// The body for one sending.
  ///
  /// - Parameter onRead: Called with the number of bytes of each piece of a body whose length is not known before.
  func makeBody(onRead: @escaping @Sendable (Int) -> Void) -> HTTPRequestBody? {
    switch content {
    case .none: nil
    case .bytes(let bytes) where isChunked: .stream { PieceStream(piece: ByteChunk(bytes), onRead: onRead) }
    case .bytes(let bytes): .bytes(bytes)
    case .file(let path, _): .file(path)
    case .standardInput: .oneShot(StandardInputStream(onRead: onRead))
    }
  }
}

extension Argument {
  /// Whether it is `-`, which stands for standard input or output.
  var isDash: Bool { bytes == [UInt8(ascii: "-")] }
}

/// One chunk as a stream: the way to send known bytes chunked.
private struct PieceStream: AsyncSequence, Sendable {
  let piece: ByteChunk
  let onRead: @Sendable (Int) -> Void

  struct Iterator: AsyncIteratorProtocol {
    var piece: ByteChunk?
    let onRead: @Sendable (Int) -> Void

    mutating func next() async throws -> ByteChunk? {
      defer { piece = nil }
      if let piece { onRead(piece.count) }
      return piece.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(piece: piece, onRead: onRead) }
}
