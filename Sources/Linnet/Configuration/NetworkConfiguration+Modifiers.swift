public import FoundationEssentials
public import LinnetHTTP

/// Whose value counts when the configuration and an endpoint both have a body parameter of one name.
public enum ParameterPrecedence: Sendable, Hashable {
  /// The configuration's.
  case configuration
  /// The endpoint's.
  case endpoint
}

/// Copies with what the packs do not have.
extension NetworkConfiguration {
  /// Headers of every request to the base URL's origin; they win over the library's defaults and lose against the
  /// endpoint's. They are what a new client starts with: ``DefaultNetworkClient/updateHeaders(_:)`` and its siblings
  /// change them later. Requests to another origin (``Endpoint/absoluteURL``) never have them.
  public func defaultHeaders(_ headers: HTTPHeaders) -> NetworkConfiguration {
    modified { $0.defaultHeaders = headers }
  }

  /// Query items that follow those of every request to the base URL's origin, such as an API version. An endpoint's
  /// items of the same name are kept as well.
  public func queryItems(_ items: [URLQueryItem]) -> NetworkConfiguration {
    modified { $0.queryItems = items }
  }

  /// Parameters that are put into every JSON object and every form that goes to the base URL's origin. A POST, PUT or
  /// PATCH without parameters of its own has these alone. Other bodies (arrays, multipart forms, bytes) are left as they
  /// are.
  ///
  /// - Parameters:
  ///   - parameters: Values by the name that they get at the top level of the body. Names are not transformed.
  ///   - precedence: Whose value counts when an endpoint has the same name. Default the configuration's, which is the
  ///     opposite of how headers behave: such parameters are usually stamps that no endpoint may change.
  public func bodyParameters(
    _ parameters: [String: any Encodable & Sendable], precedence: ParameterPrecedence = .configuration
  ) -> NetworkConfiguration {
    modified {
      $0.bodyParameters = parameters.mapValues { AnyEncodable($0) }
      $0.bodyParameterPrecedence = precedence
    }
  }

  /// Whether cookies are kept and sent. Without this each client has a private jar, which lives as long as it does; unless
  /// its engine or its transport is an `HTTPClient` whose settings name a jar, which is used then.
  ///
  /// ```swift
  /// let jar = CookieJar()                                // to be read, saved or shared
  /// let client = DefaultNetworkClient(configuration: .safeDefaults(baseURL: url).cookies(.jar(jar)))
  /// ```
  ///
  /// They are put on before the response cache is asked, so that a user is never served what another got. A request that was
  /// made by hand may say otherwise with `HTTPRequestOptions.cookies`.
  public func cookies(_ handling: CookieHandling) -> NetworkConfiguration { modified { $0.cookies = handling } }

  /// The settings of the engine: TLS versions and authorities, client certificates, connection limits, a Unix socket.
  /// Its timeouts for silence are replaced by the configuration's.
  ///
  /// It has no effect on a client that is given its transport.
  public func engine(_ engine: HTTPClientConfiguration) -> NetworkConfiguration { modified { $0.engine = engine } }

  /// Shows that requests are under way: started once for each call, and stopped when it ended, whatever the outcome and
  /// however often it was retried.
  public func activityIndicator(_ indicator: any RequestActivityIndicator) -> NetworkConfiguration {
    modified { $0.activityIndicator = indicator }
  }

  private func modified(_ change: (inout NetworkSettings) -> Void) -> NetworkConfiguration {
    var copy = self
    change(&copy.settings)
    return copy
  }
}
