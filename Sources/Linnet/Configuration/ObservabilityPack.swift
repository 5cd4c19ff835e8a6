/// Who is told what the client does.
public struct ObservabilityPack: Sendable {
  /// A pack of the given settings.
  public init() {}

  func apply(to settings: inout NetworkSettings) {}
}
