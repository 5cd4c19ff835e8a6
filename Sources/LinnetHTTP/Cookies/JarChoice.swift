/// Which jar a client's requests use.
package struct JarChoice: Sendable {
  /// The jar of the settings, or else the client's own, which requests may ask for while it is off for the others.
  private let jar: CookieJar
  private let isOn: Bool

  /// - Parameter handling: What the settings say.
  package init(_ handling: CookieHandling) {
    switch handling {
    case .off: (jar, isOn) = (CookieJar(), false)
    case .privateJar: (jar, isOn) = (CookieJar(), true)
    case .jar(let given): (jar, isOn) = (given, true)
    }
  }

  /// The jar of all requests that do not ask for another; nil when there is none for them.
  package var standard: CookieJar? { isOn ? jar : nil }

  /// The jar of a request; nil for none.
  package func jar(for options: HTTPRequestOptions) -> CookieJar? {
    switch options.cookies {
    case nil: standard
    case .off: nil
    case .privateJar: jar
    case .jar(let other): other
    }
  }
}
