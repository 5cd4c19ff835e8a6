internal import LinnetHTTPTypes
internal import LinnetIO

/// Why a cookie file cannot be read or written.
public struct CookieFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Reason: Sendable, Hashable {
    /// There is no such file.
    case notFound
    /// The system does not let it be read, or it has more than 32 MiB.
    case unreadable
    /// The system does not let it be written.
    case unwritable
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of failure.
  public let reason: Reason
  /// The path as it was given.
  public let path: String
  /// What the system says.
  public let detail: String

  /// One line with the path and the cause.
  public var description: String {
    switch reason {
    case .notFound, .unreadable: "cannot read the cookie file \(path): \(detail)"
    case .unwritable: "cannot write the cookie file \(path): \(detail)"
    case .cancelled: "the cookie file \(path): the task was cancelled"
    }
  }
}

extension CookieFileError {
  fileprivate init(_ error: InputFileError, path: String) {
    switch error {
    case .system(let error):
      self.init(
        reason: error.isNotFound ? .notFound : .unreadable, path: path, detail: error.text.asciiLowercasedFirst)
    case .pool(let error): self.init(reason: .unreadable, path: path, detail: "\(error)")
    case .timedOut, .cancelled: self.init(reason: .cancelled, path: path, detail: "the task was cancelled")
    }
  }
}

extension CookieJar {
  /// Adds the cookies of a file in the format of curl, wget and Netscape (``NetscapeCookieFile``). Cookies in it replace
  /// the same ones of the jar; those that have expired are left out. A pipe is read
  /// to its end.
  ///
  /// - Returns: The lines that are no cookies. The good lines count all the same.
  /// - Throws: ``CookieFileError`` when the file as a whole cannot be read.
  @discardableResult
  public func load(netscapeFile path: String) async throws(CookieFileError) -> [NetscapeCookieFile.Problem] {
    let bytes: [UInt8]
    do throws(InputFileError) {
      bytes = try await InputFile.readAll(
        path, limit: NetscapeCookieFile.maximumBytes, on: ShardGroup.shared.next())
    } catch {
      throw CookieFileError(error, path: path)
    }
    return await load(netscape: bytes)
  }

  /// Adds the cookies of a file that is in memory, as ``load(netscapeFile:)`` does. What is for a domain that unrelated sites
  /// share is left out, and named like a line that is no cookie.
  ///
  /// - Returns: The lines that do not count.
  @discardableResult
  public func load(netscape bytes: [UInt8]) async -> [NetscapeCookieFile.Problem] {
    let file = NetscapeCookieFile(parsing: bytes, refusing: await currentSuffixes() ?? .ruleOfThumb)
    insert(file.cookies.map(\.record))
    return file.problems
  }

  /// Writes the cookies of the jar as a file that curl and wget read (``NetscapeCookieFile``).
  ///
  /// The file takes the place of the former one in one step, and only its owner may read it. A symbolic link, a device, a pipe
  /// or a socket is neither written to nor replaced.
  ///
  /// - Parameters:
  ///   - path: Where to.
  ///   - includingSessionCookies: Whether cookies without an expiry are written. Default true, as curl: a script that logs
  ///     in and another one that goes on are one session.
  /// - Throws: ``CookieFileError``; then the former file is still there.
  public func save(netscapeFile path: String, includingSessionCookies: Bool = true) async throws(CookieFileError) {
    let kept = cookies.filter { includingSessionCookies || $0.expires != nil }
    let bytes = NetscapeCookieFile(kept).serialised()
    try await Self.onPool(path) { () throws(CookieFileError) in
      do throws(SystemError) {
        try FileIO.replace(path, with: bytes)
      } catch {
        throw CookieFileError(reason: .unwritable, path: path, detail: error.text.asciiLowercasedFirst)
      }
    }
  }

  private static func onPool<R: Sendable>(
    _ path: String, _ work: @escaping @Sendable () throws(CookieFileError) -> R
  ) async throws(CookieFileError) -> R {
    let outcome: Result<R, CookieFileError>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run {
        do throws(CookieFileError) { return .success(try work()) } catch { return .failure(error) }
      }
    } catch {
      throw CookieFileError(reason: error == .cancelled ? .cancelled : .unreadable, path: path, detail: "\(error)")
    }
    return try outcome.get()
  }
}
