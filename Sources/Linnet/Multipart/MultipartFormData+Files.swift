public import FoundationEssentials
internal import LinnetHTTP

extension MultipartFormData {
  /// Writes the encoded form into a file, in pieces of 64 KiB, for code that wants to send it later or elsewhere. The
  /// client itself needs no such file.
  ///
  /// The file appears, or replaces the one that was there, when it is complete. With ``synchronizesEncodedFile`` it is on
  /// the disk then.
  ///
  /// - Throws: ``MultipartError``; nothing is left behind then, also when the task is cancelled.
  public func writeEncodedData(to fileURL: URL) async throws(MultipartError) {
    let path = fileURL.path(percentEncoded: false)
    guard fileURL.isFileURL else {
      throw .cannotWrite(path: fileURL.lastPathComponent, reason: "the URL is not one of a file")
    }
    let output: FileOutput
    do throws(FileOutput.Problem) {
      output = try await FileOutput(path: path)
    } catch {
      throw .cannotWrite(path: path, reason: "\(error)")
    }
    var chunks = MultipartStream(pieces: try pieces()).makeAsyncIterator()
    while let chunk = try await chunks.next() {
      do throws(FileOutput.Problem) { try await output.append(chunk) } catch {
        throw .cannotWrite(path: path, reason: "\(error)")
      }
    }
    do throws(FileOutput.Problem) { try await output.finish(isDurable: synchronizesEncodedFile) } catch {
      throw .cannotWrite(path: path, reason: "\(error)")
    }
  }

  /// Writes the encoded form into a temporary file, calls `body` with it, and removes it.
  ///
  /// - Parameter body: Gets the file, which exists until it returns or throws.
  /// - Returns: What `body` returns.
  /// - Throws: ``MultipartError``, and what `body` throws.
  public func withEncodedData<R>(_ body: (_ fileURL: URL) async throws -> R) async throws -> R {
    let file = FileManager.default.temporaryDirectory.appending(path: "linnet.multipart.\(UUID().uuidString)")
    try await writeEncodedData(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file)
  }
}
