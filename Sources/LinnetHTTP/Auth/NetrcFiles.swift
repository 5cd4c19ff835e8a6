internal import LinnetBytes
internal import LinnetIO
internal import LinnetProtocols

/// The netrc files that a client has read. Each use looks whether the file has changed since.
final class NetrcFiles: Sendable {
  private struct Cached {
    let stamp: FileStamp
    let content: Netrc
  }

  private let variables: [String: String]
  private let cache = Lock<[String: Cached]>([:])

  /// A client uses one or two; more come from requests that name their own.
  private static var maximumCached: Int { 16 }

  init(variables: [String: String]) { self.variables = variables }

  /// The content; nil when the standard place has no file.
  ///
  /// - Throws: `invalidConfiguration` with the file, and the line if it is the content.
  func contents(of source: NetrcSource) async throws(TransportFailure) -> Netrc? {
    guard let path = source.path(variables: variables) else { return nil }
    let outcome: Result<Netrc?, TransportFailure>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run { [self] in
        do throws(TransportFailure) {
          return .success(try read(path, isOptional: source == .standard))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      if error == .cancelled { throw .cancelled }
      throw Self.unusable(path, "\(error)")
    }
    return try outcome.get()
  }

  private func read(_ path: String, isOptional: Bool) throws(TransportFailure) -> Netrc? {
    let stamp: FileStamp
    let bytes: [UInt8]
    do throws(SystemError) {
      stamp = try FileStamp(path: path)
      if let cached = cache.withLock({ $0[path] }), cached.stamp == stamp { return cached.content }
      bytes = try FileIO.readAll(path, limit: Netrc.maximumBytes)
    } catch {
      if isOptional && error.isNotFound { return nil }
      throw Self.unusable(path, error.text.asciiLowercasedFirst)
    }
    do throws(NetrcError) {
      let content = try Netrc(parsing: bytes)
      cache.withLock { cache in
        if cache.count >= Self.maximumCached { cache.removeAll() }
        cache[path] = Cached(stamp: stamp, content: content)
      }
      return content
    } catch {
      throw Self.unusable(path, "\(error)")
    }
  }

  private static func unusable(_ path: String, _ reason: String) -> TransportFailure {
    TransportFailure(
      code: .invalidConfiguration, phase: .request, reason: "cannot use the netrc file \(path): \(reason)")
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
