public import FoundationEssentials
internal import LinnetIO

/// Recorded exchanges, as a file that can be read, reviewed and checked in.
///
/// The file is JSON with sorted keys: equal cassettes are equal files. Bodies that are text are written as text.
///
/// ```swift
/// let cassette = try VCRCassette.load(from: "Tests/Cassettes/users.json")
/// let transport = VCRTransport(cassette: cassette, mode: .replay)
/// ```
///
/// Reading and writing block the thread; they are meant for tests.
public struct VCRCassette: Sendable, Hashable {
  /// The exchanges in the order in which their requests were sent.
  public var interactions: [VCRInteraction]

  /// A cassette with these exchanges; empty unless some are given.
  public init(interactions: [VCRInteraction] = []) { self.interactions = interactions }

  /// Reads a file.
  ///
  /// - Parameter path: Where it is. It may have up to 256 MiB.
  /// - Throws: ``VCRCassetteError``: the file cannot be read, is no JSON (with the line), has a field that is missing or
  ///   wrong (with its path), or was written by a later version.
  public static func load(from path: String) throws(VCRCassetteError) -> VCRCassette {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileIO.readAll(path, limit: 256 << 20)
    } catch {
      throw VCRCassetteError(.unreadable, path: path, detail: error.text)
    }
    if let problem = JSONSyntax.firstProblem(in: bytes) {
      throw VCRCassetteError(.invalidJSON, path: path, line: problem.line, detail: problem.detail)
    }
    do {
      return try JSONDecoder().decode(VCRCassette.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw VCRCassetteError(error, path: path)
    } catch {
      throw VCRCassetteError(.invalidField, path: path, detail: "\(error)")
    }
  }

  /// Reads the file of a `file` URL; see ``load(from:)-(String)``.
  public static func load(from url: URL) throws(VCRCassetteError) -> VCRCassette { try load(from: url.path) }

  /// Writes the file: in one step, so that a reader sees the former content or the new one, and with mode 0600, because
  /// bodies may hold what redaction does not know.
  ///
  /// - Throws: ``VCRCassetteError`` when the file cannot be written; then it is as it was.
  public func write(to path: String) throws(VCRCassetteError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
      try FileIO.replace(path, with: bytes, isDurable: false)
    } catch let error as SystemError {
      throw VCRCassetteError(.unwritable, path: path, detail: error.text)
    } catch {
      throw VCRCassetteError(.unwritable, path: path, detail: "\(error)")
    }
  }

  /// Writes the file of a `file` URL; see ``write(to:)-(String)``.
  public func write(to url: URL) throws(VCRCassetteError) { try write(to: url.path) }
}

extension VCRCassette: Codable {
  private enum CodingKeys: String, CodingKey {
    case interactions
    case version
  }

  private static let currentVersion = 1

  /// Reads a cassette.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.currentVersion else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container,
        debugDescription: "version \(version) is not known; this library reads version \(Self.currentVersion)")
    }
    interactions = try container.decode([VCRInteraction].self, forKey: .interactions)
  }

  /// Writes a cassette.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.currentVersion, forKey: .version)
    try container.encode(interactions, forKey: .interactions)
  }
}
