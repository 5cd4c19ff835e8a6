/// The client's settings as its stages hold them: one reference. By value, every request under way would have copies of
/// them in its frames.
final class SharedConfiguration: Sendable {
  let value: HTTPClientConfiguration

  init(_ value: HTTPClientConfiguration) { self.value = value }
}
