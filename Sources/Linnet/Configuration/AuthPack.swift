/// How requests are authenticated and adapted. The lists are appended to those of the configuration, which start empty.
public struct AuthPack: Sendable {
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
    additionalRequestInterceptors: [any RequestInterceptor] = [], additionalSigners: [any RequestSigner] = [],
    additionalResponseInterceptors: [any ResponseInterceptor] = [],
    additionalDecodingInterceptors: [any DecodingInterceptor] = []
  ) {
    self.additionalRequestInterceptors = additionalRequestInterceptors
    self.additionalSigners = additionalSigners
    self.additionalResponseInterceptors = additionalResponseInterceptors
    self.additionalDecodingInterceptors = additionalDecodingInterceptors
  }

  func apply(to settings: inout NetworkSettings) {
    settings.requestInterceptors += additionalRequestInterceptors
    settings.signers += additionalSigners
    settings.responseInterceptors += additionalResponseInterceptors
    settings.decodingInterceptors += additionalDecodingInterceptors
  }
}
