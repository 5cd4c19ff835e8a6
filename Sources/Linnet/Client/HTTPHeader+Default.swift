internal import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP

extension HTTPHeader {
  /// The library's `User-Agent`: ``makeDefaultUserAgent(executable:version:)`` of this program.
  public static var defaultUserAgent: HTTPHeader { LibraryHeaders.userAgent }

  /// The library's `Accept-Language`: the languages of the environment (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`), at
  /// most six of them; `*` when it names none.
  public static var defaultAcceptLanguage: HTTPHeader { LibraryHeaders.acceptLanguage ?? acceptLanguage("*") }

  /// The codings that the engine decodes. Endpoints do not need it: the engine sends the field and decodes such bodies
  /// by itself. In an endpoint's headers it means the same as leaving it out; any other `Accept-Encoding` asks for the
  /// body as it comes.
  public static var defaultAcceptEncoding: HTTPHeader { LibraryHeaders.acceptEncoding }

  /// A `User-Agent` (RFC 9110 §10.1.5): `executable/version linnet/VERSION (Linux 6.1)`.
  ///
  /// - Parameters:
  ///   - executable: The program's name; characters that may not stand there become `-`. Default: this process's.
  ///   - version: The program's version; nil, the default, sends the name alone.
  public static func makeDefaultUserAgent(executable: String? = nil, version: String? = nil) -> HTTPHeader {
    let name = token(executable ?? ProcessInfo.processInfo.processName)
    var product = name.isEmpty ? "" : name
    if let version, !name.isEmpty {
      let number = token(version)
      if !number.isEmpty { product += "/\(number)" }
    }
    if !product.isEmpty { product += " " }
    let system = ProcessInfo.processInfo.operatingSystemVersion
    return userAgent(
      "\(product)linnet/\(LinnetLibrary.version) (Linux \(system.majorVersion).\(system.minorVersion))")
  }

  /// An `Accept-Language` (RFC 9110 §12.5.4) of language tags in order of preference: the weight falls by 0.1 for each,
  /// and at most six are sent, because a long list tells people apart. Tags that are none are left out.
  ///
  /// - Parameter preferredLanguages: Tags such as `de-DE`, the most preferred first.
  public static func makeDefaultAcceptLanguage(preferredLanguages: [String]) -> HTTPHeader {
    acceptLanguage(weightedList(preferredLanguages.filter(PreferredLanguages.isTag)))
  }

  private static func token(_ text: String) -> String {
    String(
      decoding: text.utf8.map { ASCII.isToken($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
  }
}
