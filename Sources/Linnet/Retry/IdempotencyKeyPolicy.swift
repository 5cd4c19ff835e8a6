public import FoundationEssentials
public import LinnetHTTP

/// Whether requests that change something get a key by which the server recognises a repeat.
///
/// All attempts of one call have the same key, so that a retry after a lost answer does nothing twice. A key that the
/// endpoint or an interceptor sets is kept. Off by default: a key promises nothing unless the server knows the field.
public struct IdempotencyKeyPolicy: Sendable {
  /// The field with the key.
  public let headerName: String
  /// The methods that get a key; empty when disabled. Names are compared with case.
  public let methods: Set<HTTPMethod>
  /// Makes the key of a call from its id. Called once for each call.
  public let keyProvider: @Sendable (UUID) -> String

  /// A rule.
  ///
  /// - Parameters:
  ///   - headerName: The field with the key. Default `Idempotency-Key`.
  ///   - methods: The methods that get a key.
  ///   - keyProvider: Makes the key. Default the call's id.
  public init(
    headerName: String = "Idempotency-Key", methods: Set<HTTPMethod>,
    keyProvider: @escaping @Sendable (UUID) -> String = { $0.uuidString }
  ) {
    self.headerName = headerName
    self.methods = methods
    self.keyProvider = keyProvider
  }

  /// No request gets a key: the default.
  public static var disabled: IdempotencyKeyPolicy { IdempotencyKeyPolicy(methods: []) }

  /// POST, PUT, PATCH and DELETE get a key.
  ///
  /// - Parameters:
  ///   - headerName: The field with the key. Default `Idempotency-Key`.
  ///   - keyProvider: Makes the key. Default the call's id.
  public static func automaticForUnsafeMethods(
    headerName: String = "Idempotency-Key", keyProvider: @escaping @Sendable (UUID) -> String = { $0.uuidString }
  ) -> IdempotencyKeyPolicy {
    IdempotencyKeyPolicy(headerName: headerName, methods: [.post, .put, .patch, .delete], keyProvider: keyProvider)
  }
}

extension IdempotencyKeyPolicy {
  /// The key of a call, to be made before its first attempt; nil when its method gets none.
  package func makeKey(for method: HTTPMethod, requestID: UUID) -> String? {
    methods.contains(method) ? keyProvider(requestID) : nil
  }

  /// Puts the key of the call into one of its attempts, unless it has one.
  package func attach(_ key: String?, to request: inout HTTPRequest) {
    guard let key, !request.headers.hasValue(for: headerName) else { return }
    request.headers.update(headerName, key)
  }
}
