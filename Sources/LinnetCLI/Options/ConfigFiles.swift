internal import Glibc

/// Where configuration files are.
enum ConfigFiles {
  /// The user's: `$XDG_CONFIG_HOME/linnet/config`, else `~/.config/linnet/config`. Nil when there is none, or no `HOME`.
  static func standard() throws(CommandError) -> ConfigFile? {
    guard let path = standardPath, path.withCString({ access($0, F_OK) }) == 0 else { return nil }
    return try read(path, within: nil)
  }

  /// A file that the user names; `-` is standard input.
  ///
  /// - Parameter limit: How long it is waited for at most.
  static func read(_ path: Argument, within limit: Duration?) throws(CommandError) -> ConfigFile {
    do throws(CommandError) {
      return ConfigFile(
        name: path.isDash ? "standard input" : path.text, content: try InputFile.contents(of: path, within: limit))
    } catch {
      throw error.exitCode == .timeout ? error : .usage(error.message)
    }
  }

  private static var standardPath: Argument? {
    // A relative path is to be ignored (XDG Base Directory Specification).
    if let folder = Environment.value("XDG_CONFIG_HOME"), folder.first == UInt8(ascii: "/") {
      return Argument(folder + Array("/linnet/config".utf8))
    }
    return Environment.value("HOME").map { Argument($0 + Array("/.config/linnet/config".utf8)) }
  }
}
