internal import Glibc
internal import LinnetHTTP

extension TransferRun {
  /// Writes heads and body as the options say.
  mutating func receive(_ response: HTTPResponse, _ heads: [ResponseHead]) async -> Outcome {
    var outcome = Outcome()
    do throws(CommandError) {
      guard let missing = try look(at: response, &outcome) else { return outcome }
      try checkSize(response)
      if let resume {
        try output.append(after: resume.offset)
      } else {
        try output.open(for: response.head, from: response.url)
      }
      report.fileName = output.path?.text
      if options.includesHead || options.wantsHeadOnly {
        let style = output.isStandardOutput ? TerminalStyle(options) : nil
        for head in heads { try output.write(style.map { $0.head(HeadOutput.text(head)) } ?? HeadOutput.text(head)) }
      }
      if !isUnwanted(response), let failed = try await copy(response) {
        outcome = Outcome(failed, within: options.connection.maximumTime)
      }
      report.downloadedBytes = response.body.receivedWireBytes
      if outcome.failure == nil && missing > 0 {
        outcome.failure = CommandError(
          .partialBody, "\(name(of: response)): the server sent a part that ends \(missing) bytes before the end")
      }
      if outcome.failure == nil { keepTime(of: response) }
      try output.finish()
      if outcome.failure == nil { try keepEntityTag(of: response) }
      if outcome.failure == nil, options.checksStatus, response.status.code >= 400 {
        outcome.failure = httpError(response, ExitCode.ofHTTPError(response.status.code))
      }
    } catch {
      report.downloadedBytes = response.body.receivedWireBytes
      outcome = Outcome(error)
    }
    return outcome
  }

  /// Decides by its head whether the response is written.
  ///
  /// - Returns: How many bytes will still be missing from the file behind the body; nil when nothing is written.
  private func look(at response: HTTPResponse, _ outcome: inout Outcome) throws(CommandError) -> UInt64? {
    let status = response.status.code
    var missing: UInt64 = 0
    var refusal: String?
    if let resume {
      switch resume.decide(status: status, headers: response.headers) {
      case .append(let rest): missing = rest
      case .complete: return nil
      case .refuse(let reason): refusal = reason
      }
    }
    if options.failsOnHTTPError && status >= 400 {
      outcome.failure = httpError(response, .httpError)
      guard options.keepsBodyOfHTTPError && refusal == nil else { return nil }
    }
    if let refusal {
      let file = output.path.map { " '\($0.text)', which is left as it is" } ?? ""
      throw CommandError(.rangeRefused, "\(name(of: response)): cannot continue\(file): \(refusal)")
    }
    // What the user has stays as it is.
    if isUnwanted(response) && !options.includesHead && !options.wantsHeadOnly { return nil }
    return missing
  }

  private func httpError(_ response: HTTPResponse, _ code: ExitCode) -> CommandError {
    let reason = response.head.reason.isEmpty ? response.status.reasonPhrase : response.head.reason
    return CommandError(code, "\(name(of: response)): the server answered \(response.status.code) \(reason)")
  }

  private func name(of response: HTTPResponse) -> String {
    "\(report.method) \(URLArgument.masked(response.url.description))"
  }

  /// Whether the user has the body already: the server says so, or does not look at conditions.
  private func isUnwanted(_ response: HTTPResponse) -> Bool {
    if response.status.code == 304 { return true }
    guard response.status.code == 200, let condition = context.condition,
      let seconds = Self.lastModified(response)
    else { return false }
    return !condition.isMet(lastModified: seconds)
  }

  private static func lastModified(_ response: HTTPResponse) -> Int64? {
    response.headers.value(for: "Last-Modified").flatMap {
      HTTPDate($0, now: HTTPDate(secondsSince1970: Int64(time(nil))))?.secondsSince1970
    }
  }

  private func checkSize(_ response: HTTPResponse) throws(CommandError) {
    guard !options.wantsHeadOnly, let limit = options.transfer.maximumFileSize,
      let length = response.headers.value(for: "Content-Length").flatMap({ UInt64($0) }), length > limit
    else { return }
    throw CommandError(
      .tooLarge, "\(name(of: response)): the body has \(length) bytes; --max-filesize allows \(limit)")
  }

  // MARK: The body

  /// Copies the body piece by piece; returns what ended it early.
  private mutating func copy(_ response: HTTPResponse) async throws(CommandError) -> TransportError? {
    let body = response.body
    if transfer.drawsProgress && output.isFile {
      let offset = resume?.offset ?? 0
      await monitor?.showProgress(total: body.expectedLength.map { $0 &+ offset }, offset: offset)
    }
    var pace = options.transfer.rateLimit.map { TransferPace(bytesPerSecond: $0) }
    var received: UInt64 = 0
    var layout =
      output.isStandardOutput && resume == nil
      ? TerminalStyle(options).layout(for: response, isDecoded: options.isCompressed) : nil
    while true {
      let chunk: ByteChunk?
      do throws(TransportError) {
        chunk = try await body.next()
      } catch {
        return error
      }
      guard var rest = chunk else { break }
      trace?.show(.receivedData, rest)
      received += UInt64(rest.count)
      if let limit = options.transfer.maximumFileSize, received > limit {
        throw CommandError(
          .tooLarge, "\(name(of: response)): the body has more than the \(limit) bytes that --max-filesize allows")
      }
      while !rest.isEmpty {
        let piece = rest.prefix(pace?.pieceBytes ?? rest.count)
        rest = rest.dropFirst(piece.count)
        try write(piece, &layout)
        await monitor?.count(piece.count)
        if let wait = pace?.take(piece.count, at: start.duration(to: .now)) { try await pause(wait, response) }
      }
    }
    var end: [UInt8] = []
    layout?.finish(&end)
    try output.write(ByteChunk(end))
    if let trailers = body.trailers, !trailers.isEmpty { verbose?.show(trailers: trailers) }
    return nil
  }

  private mutating func write(_ piece: ByteChunk, _ layout: inout JSONLayout?) throws(CommandError) {
    guard layout != nil else { return try output.write(piece) }
    var text: [UInt8] = []
    layout?.append(piece, to: &text)
    try output.write(ByteChunk(text))
  }

  /// Waits before more is read: what the server sends meanwhile fills the buffers on the way and slows it down.
  private func pause(_ wait: Duration, _ response: HTTPResponse) async throws(CommandError) {
    guard wait > .zero else { return }
    var wait = wait
    if let limit = options.connection.maximumTime {
      let left = limit - start.duration(to: .now)
      guard left > .zero else {
        throw CommandError(
          .timeout, "\(name(of: response)): not done after \(fixed(limit.inSeconds, digits: 1)) s (--max-time)")
      }
      wait = min(wait, left)
    }
    let isInterrupted = (try? await Task.sleep(for: wait)) == nil
    if isInterrupted { throw CommandError(.aborted, "\(name(of: response)): cancelled") }
  }

  // MARK: Afterwards

  private func keepTime(of response: HTTPResponse) {
    guard options.transfer.keepsRemoteTime, let seconds = Self.lastModified(response) else { return }
    output.setModificationTime(seconds)
  }

  /// Only the tag of a body that is complete: with that of another one the next run would believe to have it.
  private func keepEntityTag(of response: HTTPResponse) throws(CommandError) {
    guard let file = options.transfer.etagSaveFile, 200..<300 ~= response.status.code, !isUnwanted(response) else {
      return
    }
    try EntityTagFile.save(response.headers.value(for: "ETag"), to: file)
  }
}
