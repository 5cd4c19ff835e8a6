/// One recorded exchange.
public struct VCRInteraction: Sendable, Hashable, Codable {
  /// What was asked.
  public var request: VCRRequest
  /// What was answered.
  public var response: VCRResponse

  /// An exchange.
  public init(request: VCRRequest, response: VCRResponse) {
    self.request = request
    self.response = response
  }
}
