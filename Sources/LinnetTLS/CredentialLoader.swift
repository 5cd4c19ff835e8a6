internal import CLinnetOpenSSL

/// Turns files and bytes into certificates and keys. Every failure names the file.
enum CredentialLoader {
  /// No certificate file is larger; the bound keeps a mistaken path (a device, a disk image) from filling memory.
  private static var maximumFileBytes: Int { 16 << 20 }

  /// How the source is called in messages.
  static func name(of source: TLSSource, _ what: String) -> String {
    switch source {
    case .file(let path): path
    case .bytes: what
    }
  }

  /// All certificates of a source, in order; at least one.
  static func certificates(_ source: TLSSource) throws(TLSError) -> X509Stack {
    let name = name(of: source, "certificate")
    let bytes = try load(source, name)
    var stack = try X509Stack()
    OpenSSLError.clearQueue()
    if bytes.first == 0x30 {
      // DER: a SEQUENCE.
      // SAFETY: the object goes to a handle at once.
      let parsed = unsafe decodedDER(bytes) { unsafe d2i_X509(nil, &$0, $1) }
      guard let parsed = unsafe parsed else {
        throw .configuration(name, "not a certificate (\(OpenSSLError.lastReason()))")
      }
      stack.append(unsafe X509Handle(owning: parsed))
      return stack
    }
    let bio = try MemoryBIO(reading: bytes)
    // SAFETY: the BIO lives through the loop; each certificate is handed to the stack.
    while let parsed = unsafe PEM_read_bio_X509_AUX(bio.raw, nil, refusePassphrase, nil) {
      stack.append(unsafe X509Handle(owning: parsed))
    }
    let failure = OpenSSLError.drainQueue().last
    // The end of the text is reported as a missing start line; any other reason is a damaged certificate.
    if let failure, failure.library != ERR_LIB_PEM || failure.reason != PEM_R_NO_START_LINE {
      throw .configuration(name, "certificate \(stack.count + 1) cannot be read (\(failure.text))")
    }
    if stack.count == 0 { throw .configuration(name, "contains no certificate") }
    return stack
  }

  /// The private key of a source.
  static func privateKey(_ source: TLSSource, passphrase: String?) throws(TLSError) -> KeyHandle {
    let name = name(of: source, "private key")
    let bytes = try load(source, name)
    OpenSSLError.clearQueue()
    if bytes.first == 0x30 {
      // SAFETY: the object goes to a handle at once.
      let parsed = unsafe decodedDER(bytes) { unsafe d2i_AutoPrivateKey(nil, &$0, $1) }
      guard let parsed = unsafe parsed else {
        throw .configuration(name, "not a private key (\(OpenSSLError.lastReason()))")
      }
      return unsafe KeyHandle(owning: parsed)
    }
    let bio = try MemoryBIO(reading: bytes)
    let request = PassphraseRequest(passphrase)
    // SAFETY: the callback uses `request` only during the call, and it is kept alive by this frame.
    let parsed = unsafe withExtendedLifetime(request) {
      unsafe PEM_read_bio_PrivateKey(
        bio.raw, nil, answerPassphrase, Unmanaged.passUnretained(request).toOpaque())
    }
    if let parsed = unsafe parsed { return unsafe KeyHandle(owning: parsed) }
    let reason = OpenSSLError.lastReason()
    if request.wasAsked {
      throw .configuration(
        name,
        passphrase == nil
          ? "the private key is encrypted, and no passphrase was given"
          : "the passphrase does not open the private key")
    }
    throw .configuration(name, "contains no private key that can be read (\(reason))")
  }

  /// The bytes of the source.
  static func load(_ source: TLSSource, _ name: String) throws(TLSError) -> [UInt8] {
    switch source {
    case .bytes(let bytes): return bytes
    case .file(let path): return try readFile(path)
    }
  }

  private static func readFile(_ path: String) throws(TLSError) -> [UInt8] {
    OpenSSLError.clearQueue()
    // SAFETY: the BIO is freed on every path; reads stay inside `block`.
    guard let file = unsafe BIO_new_file(path, "rb") else {
      throw .configuration(path, "cannot be opened (\(OpenSSLError.lastReason()))")
    }
    defer { unsafe BIO_free(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe BIO_read(file, $0.baseAddress, Int32($0.count))
      }
      if count <= 0 { break }
      bytes.append(contentsOf: block[..<Int(count)])
      if bytes.count > maximumFileBytes { throw .configuration(path, "is too large for certificates or keys") }
    }
    if let failure = OpenSSLError.drainQueue().first {
      throw .configuration(path, "cannot be read (\(failure.text))")
    }
    return bytes
  }
}

/// What OpenSSL's passphrase callback needs and reports.
private final class PassphraseRequest {
  let passphrase: [UInt8]?
  var wasAsked = false

  init(_ passphrase: String?) { self.passphrase = passphrase.map { Array($0.utf8) } }
}

/// Without a callback OpenSSL would ask on the terminal.
private func answerPassphrase(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
  // SAFETY: `context` is the request that `privateKey` passed; at most `size` bytes are written to `buffer`.
  let request = unsafe Unmanaged<PassphraseRequest>.fromOpaque(context).takeUnretainedValue()
  request.wasAsked = true
  guard let passphrase = request.passphrase, passphrase.count <= Int(size) else { return -1 }
  for (index, byte) in passphrase.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
  return Int32(passphrase.count)
}

private func refusePassphrase(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  -1
}
