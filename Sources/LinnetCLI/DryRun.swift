internal import LinnetHTTP

/// What `--dry-run` prints: the way to the server, and the request as it would be sent. Secrets are masked unless
/// `--show-secrets` says otherwise.
struct DryRun {
  let options: CommandLineOptions
  let builder: RequestBuilder
  let configuration: HTTPClientConfiguration

  func text(of request: HTTPRequest) async throws(CommandError) -> String {
    let preview: RequestPreview
    do throws(TransportError) {
      preview = try await RequestPreview(of: request, configuration: configuration)
    } catch {
      throw CommandError(ExitCode(error), error.description)
    }
    var lines: [String] = []
    if let url = try? HTTPURL(request.url) { lines.append("* to \(url.scheme.rawValue)://\(url.hostHeaderValue)") }
    if let proxy = preview.proxy { lines.append("* \(preview.isTunnel ? "in a tunnel " : "")through \(proxy)") }
    if let socket = options.connection.unixSocket { lines.append("* over the Unix socket \(socket.text)") }
    if options.redirects.isFollowing { lines.append("* redirections would be followed") }
    if options.credentials.scheme != .basic {
      lines.append("* credentials would be sent when the server asks for them")
    }
    let mask = SecretMask(showsSecrets: options.showsSecrets)
    lines += mask.lines(preview.head, framingLine: builder.body.framingLine).map { "> \($0)" } + [">"]
    return lines.map { "\(Console.singleLine($0))\n" }.joined() + body
  }

  private var body: String {
    switch builder.body.content {
    case .none: return ""
    case .bytes(let bytes):
      let shown = options.showsSecrets ? bytes : SecretMask.masked(bytes, at: SecretMask.secrets(inBody: bytes))
      guard let text = String(validating: shown, as: UTF8.self), !text.unicodeScalars.contains(where: Self.isControl)
      else {
        return "* \(bytes.count) bytes that are not text\n"
      }
      return text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : "\(text)\n"
    case .file(let path, let size):
      return Console.singleLine("* the file \(path)\(size.map { ", \($0) bytes" } ?? "")") + "\n"
    case .standardInput: return "* standard input\n"
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar != "\n" && scalar != "\t" && scalar != "\r" || 0x7F...0x9F ~= scalar.value
  }
}
