internal import FoundationEssentials

/// A language in which ``NetworkError`` explains itself to users.
public enum NetworkErrorLanguage: String, Sendable, Hashable, CaseIterable {
  /// English; also stands in for languages that are not here.
  case english = "en"
  /// Korean.
  case korean = "ko"

  /// The language of the process: of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and not empty, as
  /// POSIX has it; English when none is, or when its language is not here.
  public static var current: NetworkErrorLanguage {
    NetworkErrorLanguage(environment: ProcessInfo.processInfo.environment)
  }

  /// The language that environment variables ask for; see ``current``.
  public init(environment: [String: String]) {
    let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let code = value.prefix { $0 != "_" && $0 != "." && $0 != "@" && $0 != "-" }
    self = NetworkErrorLanguage(rawValue: code.lowercased()) ?? .english
  }
}
