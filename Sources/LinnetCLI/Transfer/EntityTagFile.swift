internal import Glibc

/// The files of `--etag-save` and `--etag-compare`: an entity tag on the first line.
enum EntityTagFile {
  /// The tag that is kept there; nil when there is none, or no file.
  static func read(_ path: Argument, within limit: Duration?) throws(CommandError) -> String? {
    if path.withCString({ access($0, F_OK) }) != 0 && errno == ENOENT { return nil }
    let content = try InputFile.contents(of: path, within: limit)
    let line = content.prefix { $0 != 0x0A && $0 != 0x0D }
    let tag = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" }
    return tag.isEmpty ? nil : String(tag)
  }

  /// Looks whether a tag can be kept there.
  static func check(_ path: Argument) throws(CommandError) {
    if !path.isDash { try OutputFile(path).checkWrites() }
  }

  /// Replaces the file as a whole, so that another run never sees half of it. Without a tag it becomes empty: an old tag must
  /// not be taken for that of the new body. `-` is standard output.
  static func save(_ tag: String?, to path: Argument) throws(CommandError) {
    let bytes = Array((tag.map { "\($0)\n" } ?? "").utf8)
    if path.isDash { try SideFile(path, mode: 0o600).write(bytes) } else { try OutputFile(path).write(bytes) }
  }
}
