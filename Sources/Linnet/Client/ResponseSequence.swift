/// The response of one request as an asynchronous sequence of one element; see
/// ``DefaultNetworkClient/responses(for:tag:)``.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// What iterating throws.
  public typealias Failure = NetworkError

  private let perform: @Sendable () async throws(NetworkError) -> Element

  init(_ perform: @escaping @Sendable () async throws(NetworkError) -> Element) { self.perform = perform }

  /// Each iterator performs the request once more.
  public func makeAsyncIterator() -> Iterator { Iterator(perform: perform) }

  /// Performs the request and yields its response.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let perform: @Sendable () async throws(NetworkError) -> Element
    private var isDone = false

    fileprivate init(perform: @escaping @Sendable () async throws(NetworkError) -> Element) { self.perform = perform }

    /// The response at the first call, nil afterwards, also after an error.
    public mutating func next() async throws(NetworkError) -> Element? { try await next(isolation: #isolation) }

    /// The response at the first call, nil afterwards, also after an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Element? {
      guard !isDone else { return nil }
      isDone = true
      return try await perform()
    }
  }
}
