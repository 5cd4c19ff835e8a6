internal import Glibc
internal import LinnetHTTP

extension TransferRun {
  /// From where an upload is continued.
  var uploadOffset: UInt64 {
    guard options.uploadFile != nil, case .offset(let offset)? = options.transfer.resume else { return 0 }
    return offset
  }

  /// The request with the fields and the body that the options of a transfer stand for.
  func request(onRead: @escaping @Sendable (Int) -> Void) throws(CommandError) -> HTTPRequest {
    var request = context.builder.request(to: url, onRead: onRead) { _ in }
    if let resume {
      try Self.imply("Range", "bytes=\(resume.offset)-", &request)
      if let tag = resume.entityTag { try Self.imply("If-Range", tag, &request) }
      // Parts of an encoded body cannot be decoded, and would not continue the decoded one that is there.
      request.options.decompression = .disabled
    } else if let entityTag {
      try Self.imply("If-None-Match", entityTag, &request)
    }
    if let condition = context.condition {
      try Self.imply(condition.fieldName, HTTPDate(secondsSince1970: condition.seconds).description, &request)
    }
    try adaptBody(of: &request, onRead)
    return request
  }

  /// Adds a field unless `-H` gives it.
  private static func imply(_ name: String, _ value: String, _ request: inout HTTPRequest) throws(CommandError) {
    guard !request.headers.contains(name) else { return }
    do throws(HTTPHeaderError) {
      try request.headers.add(name: name, value: value)
    } catch {
      throw .usage("\(error)")
    }
  }

  /// The command reads the body itself when it has to begin later, to be slowed down or to be looked at.
  private func adaptBody(of request: inout HTTPRequest, _ onRead: @escaping @Sendable (Int) -> Void)
    throws(CommandError)
  {
    let source = context.builder.body
    let offset = uploadOffset
    if offset > 0 {
      guard let size = source.size else { throw .usage("-C: the size of what -T sends is not known") }
      guard offset < size else {
        throw CommandError(
          .rangeRefused, "-C \(offset): the file of -T has only \(size) bytes; nothing is left to be sent")
      }
      try Self.imply("Content-Range", "bytes \(offset)-\(size - 1)/\(size)", &request)
    }
    let bytesPerSecond = options.transfer.rateLimit
    // A body in memory stays one where it can: digests are made of it.
    let isCounted = monitor != nil && (options.uploadFile != nil || TransferMonitor.speed(options) != nil)
    guard request.body != nil, offset > 0 || bytesPerSecond != nil || trace != nil || isCounted else { return }
    let (trace, monitor) = (trace, monitor)
    request.body = source.makeStream(from: offset, bytesPerSecond: bytesPerSecond) { piece in
      onRead(piece.count)
      trace?.show(.sentData, piece)
      await monitor?.count(piece.count)
    }
  }
}
