/// How requests are authenticated and adapted. The lists are appended to those of the configuration, which start empty.
public struct AuthPack: Sendable {
  /// How the session's token is had and refreshed, for endpoints whose ``SessionAuthentication`` asks for it. Default:
  /// there is none, and endpoints that require it fail.
  public let refreshToken: RefreshTokenPolicy?
  /// Interceptors of every request; they run before those of the endpoint.
  public let additionalRequestInterceptors: [any RequestInterceptor]
  /// Signers of every request; they run before those of the endpoint.
  public let additionalSigners: [any RequestSigner]
  /// Interceptors of every response; they run after those of the endpoint.
  public let additionalResponseInterceptors: [any ResponseInterceptor]
  /// Interceptors around the decoding of every response.
  public let additionalDecodingInterceptors: [any DecodingInterceptor]

  /// A pack of the given settings.
  public init(
    refreshToken: RefreshTokenPolicy? = nil, additionalRequestInterceptors: [any RequestInterceptor] = [],
    additionalSigners: [any RequestSigner] = [],
    additionalResponseInterceptors: [any ResponseInterceptor] = [],
    additionalDecodingInterceptors: [any DecodingInterceptor] = []
  ) {
    self.refreshToken = refreshToken
    self.additionalRequestInterceptors = additionalRequestInterceptors
    self.additionalSigners = additionalSigners
    self.additionalResponseInterceptors = additionalResponseInterceptors
    self.additionalDecodingInterceptors = additionalDecodingInterceptors
  }

  func apply(to settings: inout NetworkSettings) {
    if let refreshToken { settings.refreshToken = refreshToken }
    settings.requestInterceptors += additionalRequestInterceptors
    settings.signers += additionalSigners
    settings.responseInterceptors += additionalResponseInterceptors
    settings.decodingInterceptors += additionalDecodingInterceptors
  }
}
