internal import Glibc
internal import LinnetHTTP

/// The TLS settings that the options ask for: of connections to servers, or to a proxy.
struct TLSOptions {
  private let options: CommandLineOptions.TLS
  /// `proxy-` in front of the names of options.
  private let optionPrefix: String

  init(_ options: CommandLineOptions.TLS, optionPrefix: String) {
    self.options = options
    self.optionPrefix = optionPrefix
  }

  /// - Throws: What cannot be read, with the status for its kind.
  func configuration() throws(CommandError) -> TLSConfiguration {
    var tls = TLSConfiguration()
    tls.verifiesPeer = !options.isInsecure
    if let file = options.caFile { tls.trustRoots = .only([try source(file, .trustRoots)]) }
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
    // PEM and DER are told apart by their content.
    return TLSConfiguration.ClientIdentity(
      certificates: try source(path, .clientCertificate),
      privateKey: try options.key.map { key throws(CommandError) in try source(key, .clientCertificate) },
      passphrase: options.passphrase?.text ?? inlinePassphrase)
  }

  /// The file for the library, after a look whether it can be read. Its content is read here when its name is not text.
  private func source(_ path: Argument, _ code: ExitCode) throws(CommandError) -> TLSConfiguration.Source {
    do throws(CommandError) {
      guard let text = path.exactText else { return .bytes(try InputFile.contents(of: path)) }
      close(try InputFile.open(path))
      return .file(text)
    } catch {
      throw CommandError(code, error.message)
    }
  }

  /// `FILE:PHRASE`, unless there is a file of the whole name.
  private static func splitPassphrase(_ argument: Argument) -> (Argument, String?) {
    guard let colon = argument.bytes.lastIndex(of: UInt8(ascii: ":")), argument.withCString({ access($0, F_OK) }) != 0
    else { return (argument, nil) }
    return (Argument(argument.bytes[..<colon]), Argument(argument.bytes[(colon + 1)...]).text)
  }
}
