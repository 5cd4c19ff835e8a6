internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols

/// The netrc files that a client has read. Each use looks whether the file has changed since.
///
/// What is no regular file, such as the pipe of `<(command)`, can be read once: requests that come meanwhile wait for the
/// same content, and it stays. Its reading goes on when nobody waits for it any more: another one would begin in the middle
/// and take the rest for the whole. It ends with the client.
final class NetrcFiles: Sendable {
  fileprivate typealias Content = Result<Netrc, TransportFailure>

  fileprivate struct Cached {
    let stamp: FileStamp
    let content: Content
  }

  /// What can be read once and is being read.
  fileprivate struct Reading {
    let path: String
    let stamp: FileStamp
    let task: Task<Content, Never>
  }

  fileprivate struct State {
    var cache: [String: Cached] = [:]
    var readings: [Reading] = []
  }

  /// What a look at a file says.
  private enum Look {
    case missing
    case known(Content)
    case unread(FileStamp)
  }

  private let variables: [String: String]
  private let shards: ShardGroup
  private let state = Lock(State())

  /// A client uses one or two; more come from requests that name their own.
  fileprivate static var maximumCached: Int { 16 }

  init(variables: [String: String], shards: ShardGroup) {
    self.variables = variables
    self.shards = shards
  }

  deinit { endReadings() }

  /// Ends what is still being read: the client sends nothing more.
  func endReadings() {
    for reading in state.withLock({ $0.readings }) { reading.task.cancel() }
  }

  /// The content; nil when the standard place has no file.
  ///
  /// - Parameter deadline: The end of the request's total timeout.
  /// - Throws: `invalidConfiguration` with the file, and the line if it is the content; `totalTimeout`; `cancelled`.
  func contents(of source: NetrcSource, until deadline: Instant) async throws(TransportFailure) -> Netrc? {
    guard let path = source.path(variables: variables) else { return nil }
    let content: Content?
    do throws(InputFileError) {
      content = try await read(path, isOptional: source == .standard, until: deadline)
    } catch {
      throw Self.failure(error, path)
    }
    return try content?.get()
  }

  private func read(
    _ path: String, isOptional: Bool, until deadline: Instant
  ) async throws(InputFileError) -> Content? {
    let shard = shards.next()
    switch try await look(at: path, isOptional: isOptional, on: shard, until: deadline) {
    case .missing: return nil
    case .known(let content): return content
    case .unread(let stamp) where stamp.isRegular:
      let bytes = try await InputFile.readAll(path, limit: Netrc.maximumBytes, on: shard, until: deadline)
      return keep(Self.parse(bytes, path), of: path, stamp)
    case .unread(let stamp):
      return try await readOnce(path, stamp, on: shard, until: deadline)
    }
  }

  private func look(
    at path: String, isOptional: Bool, on shard: IOShard, until deadline: Instant
  ) async throws(InputFileError) -> Look {
    let stamp: FileStamp
    do throws(InputFileError) {
      stamp = try await InputFile.stamp(path, on: shard, until: deadline)
    } catch {
      if isOptional, case .system(let error) = error, error.isNotFound { return .missing }
      throw error
    }
    return state.withLock { $0.known(path, stamp) }.map { .known($0) } ?? .unread(stamp)
  }

  private func keep(_ content: Content, of path: String, _ stamp: FileStamp) -> Content {
    // What is wrong with a file that can be read again is found again.
    if stamp.isRegular, case .failure = content { return content }
    state.withLock { $0.keep(Cached(stamp: stamp, content: content), of: path) }
    return content
  }

  // MARK: What can be read once

  private func readOnce(
    _ path: String, _ stamp: FileStamp, on shard: IOShard, until deadline: Instant
  ) async throws(InputFileError) -> Content {
    let task = state.withLock { state -> Task<Content, Never> in
      if let known = state.known(path, stamp) { return Task { known } }
      if let reading = state.readings.first(where: { $0.isOf(path, stamp) }) { return reading.task }
      let task = Task { [weak self] in
        let outcome: Result<[UInt8], InputFileError>
        do throws(InputFileError) {
          outcome = .success(try await InputFile.readAll(path, limit: Netrc.maximumBytes, on: shard))
        } catch {
          outcome = .failure(error)
        }
        return self?.finish(path, stamp, outcome) ?? .failure(.shutDown)
      }
      state.readings.append(Reading(path: path, stamp: stamp, task: task))
      return task
    }
    return try await withDeadline(deadline, on: shard, timedOut: .timedOut, cancelled: .cancelled) {
      () async throws(InputFileError) in await task.value
    }
  }

  private func finish(_ path: String, _ stamp: FileStamp, _ outcome: Result<[UInt8], InputFileError>) -> Content {
    let content: Content
    var isKept = true
    switch outcome {
    case .success(let bytes): content = Self.parse(bytes, path)
    // Some of it may be gone: a second look would find the rest, or nothing, and take it for the file.
    case .failure(.system(let error)): content = .failure(Self.failure(.system(error), path))
    case .failure(.cancelled): (content, isKept) = (.failure(.shutDown), false)
    case .failure(let error): (content, isKept) = (.failure(Self.failure(error, path)), false)
    }
    state.withLock { state in
      state.readings.removeAll { $0.isOf(path, stamp) }
      if isKept { state.keep(Cached(stamp: stamp, content: content), of: path) }
    }
    return content
  }

  // MARK: Errors

  private static func parse(_ bytes: [UInt8], _ path: String) -> Content {
    do throws(NetrcError) { return .success(try Netrc(parsing: bytes)) } catch {
      return .failure(unusable(path, "\(error)"))
    }
  }

  private static func failure(_ error: InputFileError, _ path: String) -> TransportFailure {
    switch error {
    case .system(let error): unusable(path, error.text.asciiLowercasedFirst)
    case .pool(let error): unusable(path, "\(error)")
    case .cancelled: .cancelled
    case .timedOut:
      TransportFailure(
        code: .totalTimeout, phase: .request,
        reason: "the netrc file \(path) was not read within the request's total timeout")
    }
  }

  private static func unusable(_ path: String, _ reason: String) -> TransportFailure {
    TransportFailure(
      code: .invalidConfiguration, phase: .request, reason: "cannot use the netrc file \(path): \(reason)")
  }
}

extension NetrcFiles.Reading {
  fileprivate func isOf(_ path: String, _ stamp: FileStamp) -> Bool {
    self.path == path && self.stamp.isSameFile(as: stamp)
  }
}

extension NetrcFiles.State {
  fileprivate mutating func keep(_ content: NetrcFiles.Cached, of path: String) {
    if cache.count >= NetrcFiles.maximumCached {
      // What can be read again goes first.
      cache = cache.filter { !$0.value.stamp.isRegular }
      if cache.count >= NetrcFiles.maximumCached { cache.removeAll() }
    }
    cache[path] = content
  }

  /// What the file said, unless it has changed since.
  fileprivate func known(_ path: String, _ stamp: FileStamp) -> Result<Netrc, TransportFailure>? {
    guard let cached = cache[path] else { return nil }
    let isSame = stamp.isRegular ? cached.stamp == stamp : cached.stamp.isSameFile(as: stamp)
    return isSame ? cached.content : nil
  }
}

extension NetrcSource {
  /// The file that is meant; nil for none.
  func path(variables: [String: String]) -> String? {
    switch self {
    case .off: return nil
    case .file(let path): return path
    case .standard:
      if let named = variables["NETRC"], !named.isEmpty { return named }
      return variables["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.netrc" }
    }
  }
}
