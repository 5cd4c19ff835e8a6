internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols

/// The netrc files that a client has read. Each use looks whether the file has changed since.
///
/// What is no regular file, such as the pipe of `<(command)`, can be read once: requests that come meanwhile wait for the
/// same content, and it stays.
final class NetrcFiles: Sendable {
  fileprivate typealias Content = Result<Netrc, TransportFailure>

  fileprivate struct Cached {
    let stamp: FileStamp
    let content: Content
  }

  /// A pipe that is being read; given up when nobody waits for it any more.
  fileprivate struct Reading {
    let task: Task<Result<[UInt8], InputFileError>, Never>
    var waiters = 0
  }

  fileprivate struct State {
    var cache: [String: Cached] = [:]
    var readings: [String: Reading] = [:]
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
  private static var maximumCached: Int { 16 }

  init(variables: [String: String], shards: ShardGroup) {
    self.variables = variables
    self.shards = shards
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
    state.withLock { state in
      if state.cache.count >= Self.maximumCached { state.cache.removeAll() }
      state.cache[path] = Cached(stamp: stamp, content: content)
    }
    return content
  }

  // MARK: What can be read once

  private func readOnce(
    _ path: String, _ stamp: FileStamp, on shard: IOShard, until deadline: Instant
  ) async throws(InputFileError) -> Content {
    let joined = state.withLock { state -> (task: Task<Result<[UInt8], InputFileError>, Never>?, known: Content?) in
      if let known = state.known(path, stamp) { return (nil, known) }
      let reading =
        state.readings[path]
        ?? Reading(
          task: Task {
            do throws(InputFileError) {
              return .success(try await InputFile.readAll(path, limit: Netrc.maximumBytes, on: shard))
            } catch {
              return .failure(error)
            }
          })
      state.readings[path] = reading
      state.readings[path]?.waiters += 1
      return (reading.task, nil)
    }
    if let known = joined.known { return known }
    guard let task = joined.task else { throw .cancelled }
    defer { leave(path) }
    let outcome = try await withDeadline(deadline, on: shard, timedOut: .timedOut, cancelled: .cancelled) {
      () async throws(InputFileError) in await task.value
    }
    switch outcome {
    case .success(let bytes): return keep(Self.parse(bytes, path), of: path, stamp)
    // Some of it may be gone: a second look would find the rest, or nothing, and take it for the file.
    case .failure(.system(let error)): return keep(.failure(Self.failure(.system(error), path)), of: path, stamp)
    case .failure(let error): throw error
    }
  }

  private func leave(_ path: String) {
    let abandoned = state.withLock { state -> Task<Result<[UInt8], InputFileError>, Never>? in
      guard let reading = state.readings[path] else { return nil }
      guard reading.waiters <= 1 else {
        state.readings[path]?.waiters -= 1
        return nil
      }
      state.readings[path] = nil
      return reading.task
    }
    abandoned?.cancel()
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

extension NetrcFiles.State {
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
