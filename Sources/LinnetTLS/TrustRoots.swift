internal import CLinnetOpenSSL

/// The variables that say where trusted certificates lie. The owner of the environment passes them in.
package struct TrustEnvironment: Sendable, Hashable {
  /// A command-line option or setting of the program: comes before every variable.
  package var option: String?
  package var linnetBundle: String?
  package var certificateFile: String?
  /// One directory, or several separated by colons.
  package var certificateDirectory: String?
  package var nixCertificateFile: String?
  /// Where to look when no variable says it.
  package var places = TrustPlaces.distributions

  package init() {}

  /// Picks the variables that matter; an empty one counts as unset.
  package init(_ environment: [String: String], option: String? = nil) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.option = option
    linnetBundle = value("LINNET_CA_BUNDLE")
    certificateFile = value("SSL_CERT_FILE")
    certificateDirectory = value("SSL_CERT_DIR")
    nixCertificateFile = value("NIX_SSL_CERT_FILE")
  }
}

extension TrustEnvironment {
  /// Every path whose content may decide on the system's roots.
  var watchedPaths: [String] {
    if let option { return [option] }
    if let linnetBundle { return [linnetBundle] }
    if certificateFile != nil || certificateDirectory != nil {
      let directories = certificateDirectory?.split(separator: ":").map(String.init) ?? []
      return [certificateFile].compactMap { $0 } + directories
    }
    return [places.directory] + places.bundles + [nixCertificateFile].compactMap { $0 }
  }
}

/// What lies at a path, as the search needs to know it.
package enum TrustPathKind: Sendable, Hashable {
  case absent
  case unreadable
  case file
  /// A directory without names that OpenSSL could look up.
  case directory
  /// A directory with links named after subject hashes (`c_rehash`): read on demand, one file per chain.
  case hashedDirectory
}

/// Where distributions keep trusted certificates.
package struct TrustPlaces: Sendable, Hashable {
  /// The directory that may have hashed links.
  package var directory: String
  /// Files, the first that exists is taken.
  package var bundles: [String]

  package init(directory: String, bundles: [String]) {
    self.directory = directory
    self.bundles = bundles
  }

  /// The bundle that the same tool writes as the directory's links.
  var bundleOfDirectory: String? { bundles.first.flatMap { $0.hasPrefix(directory + "/") ? $0 : nil } }

  /// Debian, Ubuntu, Alpine, Arch; then Fedora, RHEL, Amazon; SUSE; and the place of OpenBSD that images use too.
  package static let distributions = TrustPlaces(
    directory: "/etc/ssl/certs",
    bundles: [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ])
}

/// Where the system's trusted certificates are: the outcome of a pure search over the environment and the answers to
/// "what lies at this path?". OpenSSL then reads the files.
///
/// The order is: option, `LINNET_CA_BUNDLE`, `SSL_CERT_FILE` with `SSL_CERT_DIR`, and the places where distributions
/// keep them. What a user names replaces the system's roots and is never replaced silently by them.
package struct TrustRoots: Sendable, Hashable {
  package private(set) var directories: [String] = []
  package private(set) var files: [String] = []
  /// Read only when the directory does not know an issuer: a bundle that is mounted over the distribution's file
  /// (common in containers) has certificates that the hashed links do not.
  package private(set) var fallbackFile: String?
  /// All paths that were tried, for the message when there are none.
  package private(set) var lookedAt: [String] = []

  package var isEmpty: Bool { directories.isEmpty && files.isEmpty }

  private init() {}

  /// Searches.
  ///
  /// - Throws: A configuration error that names the variable and the path when a file that the user named is missing or
  ///   unreadable. Finding nothing at the well-known places is not an error: see ``isEmpty``.
  package static func resolve(
    _ environment: TrustEnvironment, places: TrustPlaces? = nil,
    probe: (String) -> TrustPathKind = fileSystemProbe
  ) throws(TLSError) -> TrustRoots {
    var roots = TrustRoots()
    if let path = environment.option {
      try roots.addNamed(path, by: "the CA bundle", probe)
    } else if let path = environment.linnetBundle {
      try roots.addNamed(path, by: "LINNET_CA_BUNDLE", probe)
    } else if environment.certificateFile != nil || environment.certificateDirectory != nil {
      if let path = environment.certificateFile { try roots.addFile(path, by: "SSL_CERT_FILE", probe) }
      if let list = environment.certificateDirectory { try roots.addDirectories(list, probe) }
    } else {
      roots.searchSystem(places ?? environment.places, environment.nixCertificateFile, probe)
    }
    return roots
  }

  /// Asks the file system.
  package static func fileSystemProbe(_ path: String) -> TrustPathKind {
    // SAFETY: the C string lives for the call.
    let kind = unsafe path.withCString { unsafe linnet_path_kind($0) }
    return switch Int(kind) {
    case LINNET_PATH_FILE: .file
    case LINNET_PATH_DIRECTORY: .directory
    case LINNET_PATH_HASHED_DIRECTORY: .hashedDirectory
    case LINNET_PATH_UNREADABLE: .unreadable
    default: .absent
    }
  }

  /// A file or a hashed directory.
  private mutating func addNamed(
    _ path: String, by name: String, _ probe: (String) -> TrustPathKind
  ) throws(TLSError) {
    switch probe(path) {
    case .hashedDirectory:
      lookedAt.append(path)
      directories.append(path)
    case .directory:
      throw .configuration("\(name)=\(path)", "the directory holds no certificates under hashed names (c_rehash)")
    case .file, .absent, .unreadable:
      try addFile(path, by: name, probe)
    }
  }

  private mutating func addFile(
    _ path: String, by name: String, _ probe: (String) -> TrustPathKind
  ) throws(TLSError) {
    lookedAt.append(path)
    switch probe(path) {
    case .file: files.append(path)
    case .absent: throw .configuration("\(name)=\(path)", "no such file")
    case .unreadable: throw .configuration("\(name)=\(path)", "the file cannot be read")
    case .directory, .hashedDirectory: throw .configuration("\(name)=\(path)", "is a directory, not a file")
    }
  }

  /// Missing entries of the list are skipped, as OpenSSL does, unless nothing at all remains.
  private mutating func addDirectories(
    _ list: String, _ probe: (String) -> TrustPathKind
  ) throws(TLSError) {
    for entry in list.split(separator: ":") {
      let path = String(entry)
      lookedAt.append(path)
      if probe(path) == .hashedDirectory { directories.append(path) }
    }
    if isEmpty {
      throw .configuration("SSL_CERT_DIR=\(list)", "no directory with certificates under hashed names (c_rehash)")
    }
  }

  private mutating func searchSystem(
    _ places: TrustPlaces, _ nixFile: String?, _ probe: (String) -> TrustPathKind
  ) {
    let bundles = places.bundles + (nixFile.map { [$0] } ?? [])
    lookedAt = [places.directory] + bundles
    let directory = probe(places.directory)
    // Where the distribution's tool keeps both, the directory costs nothing to "load" and the bundle tens of
    // milliseconds. Links without the bundle may be an administrator's few own certificates: bundles come first then.
    if directory == .hashedDirectory, let bundle = places.bundleOfDirectory, probe(bundle) == .file {
      directories = [places.directory]
      fallbackFile = bundle
      return
    }
    for path in bundles where probe(path) == .file {
      files = [path]
      return
    }
    if directory == .hashedDirectory { directories = [places.directory] }
  }
}
