public import FoundationEssentials

/// Looks at a body before it is decoded, or at the value afterwards.
public protocol DecodingInterceptor: Sendable {
  /// The bytes to decode in the place of `data`. Called for accepted responses, in the order of the list.
  func willDecode(data: Data, response: Response) async throws -> Data
  /// The value to return in the place of `value`, of the same type. Called in the order of the list.
  func didDecode<Value: Sendable>(_ value: Value, response: Response) async throws -> Value
}

extension DecodingInterceptor {
  /// Returns `data`.
  public func willDecode(data: Data, response: Response) async throws -> Data { data }
  /// Returns `value`.
  public func didDecode<Value: Sendable>(_ value: Value, response: Response) async throws -> Value { value }
}
