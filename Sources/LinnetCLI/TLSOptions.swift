internal import Glibc
internal import LinnetHTTP

/// The TLS settings that the options ask for: of connections to servers, or to a proxy.
struct TLSOptions {
  private let options: CommandLineOptions.TLS
  /// `proxy-` in front of the names of options.
  private let optionPrefix: String
  /// How long a file is waited for.
  private let limit: Duration?

  init(_ options: CommandLineOptions.TLS, optionPrefix: String, within limit: Duration?) {
    self.limit = limit
    self.options = options
    self.optionPrefix = optionPrefix
  }

  /// - Throws: What cannot be read, with the status for its kind.
  func configuration() throws(CommandError) -> TLSConfiguration {
    var tls = TLSConfiguration()
    tls.verifiesPeer = !options.isInsecure
    var authorities: [TLSConfiguration.Source] = []
    if let file = options.caFile { authorities.append(try source(file, .trustRoots)) }
    if let directory = options.caDirectory { authorities.append(try directorySource(directory)) }
    if !authorities.isEmpty { tls.trustRoots = .only(authorities) }
    tls.clientIdentity = try identity()
    if let version = options.minimumVersion { tls.minimumVersion = version }
    if let version = options.maximumVersion { tls.maximumVersion = version }
    if let ciphers = options.ciphers { tls.cipherList = ciphers.text }
    if let suites = options.tls13Ciphers { tls.cipherSuites = suites.text }
    if let pins = options.pinnedKeys {
      do throws(PublicKeyPinError) {
        tls.pinnedPublicKeys = try PublicKeyPin.list(pins.text)
      } catch {
        throw .usage("option --\(optionPrefix)pinnedpubkey: \(error)")
      }
    }
    if let file = Environment.value("SSLKEYLOGFILE") { tls.keyLogFile = Argument(file).text }
    return tls
  }

  private func identity() throws(CommandError) -> TLSConfiguration.ClientIdentity? {
    guard let certificate = options.certificate else { return nil }
    let (path, inlinePassphrase) = Self.splitPassphrase(certificate)
    if options.certificateFormat == .pkcs12 {
      guard options.key == nil else {
        throw .usage("option --\(optionPrefix)key: a certificate of the type P12 holds its key")
      }
      return TLSConfiguration.ClientIdentity(
        pkcs12: try source(path, .clientCertificate), passphrase: options.passphrase?.text ?? inlinePassphrase)
    }
    if options.key == nil, let format = options.keyFormat { _ = try source(path, format, ofKey: true) }
    return TLSConfiguration.ClientIdentity(
      certificates: try source(path, options.certificateFormat, ofKey: false),
      privateKey: try options.key.map { key throws(CommandError) in try source(key, options.keyFormat, ofKey: true) },
      passphrase: options.passphrase?.text ?? inlinePassphrase)
  }

  /// A certificate or a key in the format that the user names; nil: PEM and DER are told apart by their content.
  private func source(
    _ path: Argument, _ format: CommandLineOptions.KeyFormat?, ofKey isKey: Bool
  ) throws(CommandError) -> TLSConfiguration.Source {
    guard let format else { return try source(path, .clientCertificate) }
    let content: [UInt8]
    do throws(CommandError) {
      content = try InputFile.contents(of: path, within: limit)
    } catch {
      throw Self.error(error, .clientCertificate)
    }
    let isPEM = content.indices.contains { content[$0...].starts(with: "-----BEGIN ".utf8) }
    guard isPEM == (format == .pem) else {
      throw CommandError(
        .clientCertificate,
        "option --\(optionPrefix)\(isKey ? "key" : "cert")-type: '\(path.text)' is \(isPEM ? "PEM" : "not PEM"), and not \(format.rawValue)"
      )
    }
    return .bytes(content)
  }

  private func directorySource(_ path: Argument) throws(CommandError) -> TLSConfiguration.Source {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, path.withCString({ access($0, R_OK | X_OK) }) == 0 else {
      throw CommandError(.trustRoots, "cannot read '\(path.text)': \(systemText(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR, let text = path.exactText else {
      throw CommandError(.trustRoots, "option --\(optionPrefix)capath: '\(path.text)' is no directory")
    }
    return .file(text)
  }

  /// The file for the library, after a look whether it can be read. Its content is read here when its name is not text, and
  /// when it can be read only once: OpenSSL would wait for a pipe without end.
  private func source(_ path: Argument, _ code: ExitCode) throws(CommandError) -> TLSConfiguration.Source {
    do throws(CommandError) {
      let kind = try InputFile.status(of: path).st_mode & S_IFMT
      guard let text = path.exactText, kind == S_IFREG || kind == S_IFDIR else {
        return .bytes(try InputFile.contents(of: path, within: limit))
      }
      return .file(text)
    } catch {
      throw Self.error(error, code)
    }
  }

  /// A file that cannot be read, with the status for its kind.
  private static func error(_ error: CommandError, _ code: ExitCode) -> CommandError {
    error.exitCode == .timeout ? error : CommandError(code, error.message)
  }

  /// `FILE:PHRASE`, unless there is a file of the whole name.
  private static func splitPassphrase(_ argument: Argument) -> (Argument, String?) {
    guard let colon = argument.bytes.lastIndex(of: UInt8(ascii: ":")), argument.withCString({ access($0, F_OK) }) != 0
    else { return (argument, nil) }
    return (Argument(argument.bytes[..<colon]), Argument(argument.bytes[(colon + 1)...]).text)
  }
}
