extension Option {
  static let requestOptions: [Option] = [
    .value("X", "request", "METHOD", "the method", common: true) { $0.method = $1.text },
    .value("H", "header", "LINE", "'Name: value' adds, 'Name:' removes, 'Name;' sends it empty; @FILE", common: true) {
      $0.headers.append($1)
    },
    .value("d", "data", "DATA", "send DATA with POST; @FILE or @- without line ends; repeats join with &", common: true)
    { $0.addData($1, dropsLineEnds: true) },
    .value(nil, "data-binary", "DATA", "as -d, but @FILE is sent byte for byte") {
      $0.addData($1, dropsLineEnds: false)
    },
    .value(nil, "data-raw", "DATA", "as -d, but @ has no meaning") { $0.data.append(.init(source: .bytes($1.bytes))) },
    .value(nil, "data-urlencode", "DATA", "as -d, but percent-encoded: TEXT, =TEXT, NAME=TEXT, @FILE or NAME@FILE") {
      $0.data.append(OptionValue.encodedData($1))
    },
    .value(nil, "json", "DATA", "send DATA as JSON with POST; @FILE or @-", common: true) {
      $0.sendsJSON = true
      $0.addData($1, dropsLineEnds: false, isFormData: false)
    },
    .flag("G", "get", "put the data of -d into the URL's query and send GET", \.sendsDataInQuery),
    .value(nil, "url-query", "DATA", "add DATA to the URL's query, as --data-urlencode; +TEXT as it stands") {
      $0.queries.append(OptionValue.query($1))
    },
    .text("T", "upload-file", "FILE", "send FILE with PUT; - for standard input", \.uploadFile, common: true),
    .flag("I", "head", "send HEAD and print the response's head", \.wantsHeadOnly, common: true),
    .text("A", "user-agent", "NAME", "the User-Agent; empty: none", \.userAgent, common: true),
    .value("e", "referer", "URL", "the Referer; URL;auto or ;auto: with -L, then the URL that redirected") {
      $0.setReferer($1)
    },
    .parsed("r", "range", "RANGE", "ask for these bytes only, such as 0-499 or -500", \.range, OptionValue.range),
    .flag(nil, "compressed", "ask for a gzip or deflate body and decode it", \.isCompressed),
    .parsed(
      nil, "expect100-timeout", "SECONDS", "how long 'Expect: 100-continue' waits; 1 unless given",
      \.connection.expectTimeout, OptionValue.wait),
  ]

  static let redirectOptions: [Option] = [
    .flag("L", "location", "follow redirections", \.redirects.isFollowing, common: true),
    .flag(
      nil, "location-trusted", "as -L, and send credentials and all headers to other hosts too (dangerous)",
      \.redirects.isFollowingTrusting),
    .parsed(
      nil, "max-redirs", "NUMBER", "how many redirections are followed; 50 unless given, -1: no limit",
      \.redirects.maximumHops, OptionValue.hops),
    .flag(nil, "post301", "stay with POST after 301", \.redirects.keepsPostOn301),
    .flag(nil, "post302", "stay with POST after 302", \.redirects.keepsPostOn302),
    .flag(nil, "post303", "stay with POST after 303, which asks for GET", \.redirects.keepsPostOn303),
    .parsed(
      nil, "proto-redir", "SCHEMES", "where redirections may lead, such as =https; http after https needs =http",
      \.redirects.schemes, OptionValue.schemes),
  ]

  static let credentialOptions: [Option] = [
    .text(
      "u", "user", "USER:PASSWORD", "credentials for the server; asks for a missing password", \.credentials.user,
      common: true),
    .choice(nil, "basic", "use them with Basic; this is the default") { $0.credentials.scheme = .basic },
    .choice(nil, "digest", "use them with Digest") { $0.credentials.scheme = .digest },
    .choice(nil, "anyauth", "use them as the server asks for") { $0.credentials.scheme = .any },
    .text(nil, "oauth2-bearer", "TOKEN", "a bearer token for the server", \.credentials.bearerToken),
    .flag("n", "netrc", "take credentials from $NETRC or ~/.netrc", \.credentials.usesNetrc),
    .value(nil, "netrc-file", "FILE", "take credentials from FILE") {
      $0.credentials.usesNetrc = true
      $0.credentials.netrcFile = $1
    },
    .flag(nil, "netrc-optional", "as -n, and a missing file is no error", \.credentials.usesNetrcOptionally),
    .value("b", "cookie", "DATA|FILE", "send 'NAME=VALUE; …', or the cookies of FILE and of responses", common: true) {
      if $1.bytes.contains(UInt8(ascii: "=")) { $0.cookies.given.append($1) } else { $0.cookies.files.append($1) }
    },
    .text("c", "cookie-jar", "FILE", "write all cookies to FILE at the end; - for stdout", \.cookies.jar),
    .flag("j", "junk-session-cookies", "leave out session cookies of -b FILE", \.cookies.dropsSessionCookies),
  ]
}

extension CommandLineOptions.Redirects {
  /// Both at once, as `--location-trusted` says.
  var isFollowingTrusting: Bool {
    get { isFollowing && isTrusted }
    set { (isFollowing, isTrusted) = (newValue, newValue) }
  }
}

extension CommandLineOptions.Credentials {
  /// Both at once, as `--netrc-optional` says.
  var usesNetrcOptionally: Bool {
    get { usesNetrc && isNetrcOptional }
    set {
      isNetrcOptional = newValue
      if newValue { usesNetrc = true }
    }
  }
}

extension CommandLineOptions {
  /// `URL`, `URL;auto` or `;auto`.
  fileprivate mutating func setReferer(_ value: Argument) {
    let suffix = Array(";auto".utf8)
    redirects.sendsReferer = value.bytes.count >= suffix.count && Array(value.bytes.suffix(suffix.count)) == suffix
    let url = redirects.sendsReferer ? Argument(value.bytes.dropLast(suffix.count)) : value
    referer = redirects.sendsReferer && url.bytes.isEmpty ? nil : url
  }

  fileprivate mutating func addData(_ value: Argument, dropsLineEnds: Bool, isFormData: Bool = true) {
    guard value.bytes.first == UInt8(ascii: "@") else {
      data.append(.init(source: .bytes(value.bytes), isFormData: isFormData))
      return
    }
    data.append(
      .init(source: .file(Argument(value.bytes.dropFirst())), dropsLineEnds: dropsLineEnds, isFormData: isFormData))
  }
}
