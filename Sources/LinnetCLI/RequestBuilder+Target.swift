internal import LinnetHTTP

extension RequestBuilder {
  /// The URL that a word of the command line asks for.
  func url(_ argument: Argument) throws(CommandError) -> HTTPURL {
    try target(
      try URLArgument.parse(argument, schemes: options.run.schemes, keepsDots: options.keepsDotSegments))
  }

  /// The URL of the request: a URL that ends with a slash gets the name of the file that is uploaded to it, and the data of
  /// `-G` and `--url-query` join its query.
  private func target(_ url: HTTPURL) throws(CommandError) -> HTTPURL {
    var references: [String] = []
    if let upload = options.uploadFile, !upload.isDash, url.query == nil, url.path.hasSuffix("/"),
      let name = upload.bytes.split(separator: UInt8(ascii: "/")).last
    {
      references.append("./\(URLArgument.pathSegment(name))")
    }
    if !query.isEmpty {
      let given = url.query.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
      references.append("?\(given)\(URLArgument.query(query))")
    }
    do throws(HTTPURLError) {
      var target = url
      for reference in references { target = try target.resolve(reference) }
      return target
    } catch {
      throw CommandError(.malformedURL, "malformed URL '\(URLArgument.masked(url.description))': \(error)")
    }
  }
}
