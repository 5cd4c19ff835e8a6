import LinnetHTTP
import Testing

@Suite("Options of requests")
struct HTTPRequestOptionsTests {
  static let changes: [(name: String, change: @Sendable (inout HTTPRequestOptions) -> Void)] = [
    ("timeouts", { $0.timeouts.idle = .unlimited }), ("decompression", { $0.decompression = .disabled }),
    ("tls", { $0.tls = TLSConfiguration() }), ("maximumCollectedBytes", { $0.maximumCollectedBytes = 7 }),
    ("expectsContinue", { $0.expectsContinue = true }),
    ("omittedDefaultHeaders", { $0.omittedDefaultHeaders.append("Accept") }), ("onEvent", { $0.onEvent = { _ in } }),
  ]

  /// What is set, in the order of `changes`.
  private static func settings(_ options: HTTPRequestOptions) -> [Bool] {
    [
      options.timeouts != TimeoutOverrides(), options.decompression != nil, options.tls != nil,
      options.maximumCollectedBytes != nil, options.expectsContinue, !options.omittedDefaultHeaders.isEmpty,
      options.onEvent != nil,
    ]
  }

  @Test("A change sets one option and reaches no copy", arguments: changes.indices)
  func change(_ index: Int) {
    var options = HTTPRequestOptions()
    for earlier in Self.changes[..<index] { earlier.change(&options) }
    let copy = options
    Self.changes[index].change(&options)
    #expect(Self.settings(options) == Self.changes.indices.map { $0 <= index })
    #expect(Self.settings(copy) == Self.changes.indices.map { $0 < index })
  }
}
