internal import CLinnetPOSIX
internal import Glibc
package import LinnetBytes

/// Why a name has no addresses.
package struct ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Reason: Sendable, Equatable {
    /// The name does not exist, or has no address.
    case notFound
    /// The name servers did not answer; asking again may help.
    case temporary
    /// Anything else, in the words of the C library.
    case failed(String)
    case timedOut
    case cancelled
  }

  package let host: String
  package let reason: Reason

  package init(host: String, reason: Reason) {
    self.host = host
    self.reason = reason
  }

  package var description: String {
    switch reason {
    case .notFound: "\(host): no such host"
    case .temporary: "\(host): temporary failure in name resolution"
    case .failed(let text): "\(host): \(text)"
    case .timedOut: "\(host): name resolution timed out"
    case .cancelled: "\(host): name resolution was cancelled"
    }
  }
}

/// Turns a host into addresses.
package protocol NameResolver: Sendable {
  /// - Parameter host: A name in ASCII, or an address without brackets.
  /// - Returns: At least one address, the best first.
  func resolve(host: String, port: UInt16) async throws(ResolveError) -> [SocketAddress]

  /// None of the addresses could be reached: do not give them from a cache again.
  func addressesFailed(host: String)
}

extension NameResolver {
  package func addressesFailed(host: String) {}

  /// The same with a deadline: returns at once when it passes, and leaves a call that hangs to itself.
  package func resolve(
    host: String, port: UInt16, deadline: Instant, on shard: IOShard
  ) async throws(ResolveError) -> [SocketAddress] {
    if let address = SocketAddress(numericHost: host, port: port) { return [address] }
    return try await withDeadline(
      deadline, on: shard, timedOut: ResolveError(host: host, reason: .timedOut),
      cancelled: ResolveError(host: host, reason: .cancelled)
    ) { () async throws(ResolveError) in
      try await resolve(host: host, port: port)
    }
  }
}

/// The resolver of the system: `getaddrinfo` (hosts file, DNS, whatever nsswitch names) on ``BlockingPool``, with a short
/// cache; questions for the same name at the same time are asked once.
package final class SystemResolver: NameResolver {
  package static let shared = SystemResolver()

  private typealias Outcome = Result<[SocketAddress], ResolveError>

  private struct State {
    var cache: ResolverCache
    var questions: [String: [OneShot<Outcome>]] = [:]
  }

  /// Asks for the addresses of a name, with port 0. May block.
  package typealias Lookup = @Sendable (_ host: String) -> Result<[SocketAddress], ResolveError>

  private let state: Lock<State>
  private let pool: BlockingPool
  private let clock: any MonotonicClock
  private let lookup: Lookup

  package init(
    limits: ResolverCache.Limits = ResolverCache.Limits(), pool: BlockingPool = .shared,
    clock: any MonotonicClock = SystemClock(), lookup: @escaping Lookup = { AddressLookup.addresses(of: $0) }
  ) {
    state = Lock(State(cache: ResolverCache(limits: limits)))
    self.pool = pool
    self.clock = clock
    self.lookup = lookup
  }

  package func resolve(host: String, port: UInt16) async throws(ResolveError) -> [SocketAddress] {
    if let address = SocketAddress(numericHost: host, port: port) { return [address] }
    let host = host.asciiLowercased
    if Self.isLocalhost(host) { return [.loopbackIPv6(port: port), .loopbackIPv4(port: port)] }
    let answer: Outcome
    switch ask(host) {
    case .known(let addresses):
      answer = addresses.isEmpty ? .failure(ResolveError(host: host, reason: .notFound)) : .success(addresses)
    case .asked(let question):
      answer = await question.wait {
        self.state.withLock { $0.questions[host]?.removeAll { $0 === question } }
        return .failure(ResolveError(host: host, reason: .cancelled))
      }
    }
    return try answer.get().map { $0.withPort(port) }
  }

  package func addressesFailed(host: String) {
    state.withLock { $0.cache.remove(host.asciiLowercased) }
  }

  /// RFC 6761 §6.3: `localhost` and what ends in `.localhost` is loopback, and no server is asked.
  private static func isLocalhost(_ host: String) -> Bool {
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  private enum Asked {
    case known([SocketAddress])
    case asked(OneShot<Outcome>)
  }

  private func ask(_ host: String) -> Asked {
    let question = OneShot<Outcome>()
    let now = clock.now
    let (known, isFirst) = state.withLock { state -> ([SocketAddress]?, Bool) in
      if let known = state.cache.addresses(of: host, now: now) { return (known, false) }
      let isFirst = state.questions[host] == nil
      state.questions[host, default: []].append(question)
      return (nil, isFirst)
    }
    if let known { return .known(known) }
    if isFirst {
      do throws(SystemError) {
        try pool.submit { self.answer(host, self.lookup(host)) }
      } catch {
        answer(host, .failure(ResolveError(host: host, reason: .failed("\(error)"))))
      }
    }
    return .asked(question)
  }

  private func answer(_ host: String, _ outcome: Outcome) {
    let now = clock.now
    let askers = state.withLock { state in
      switch outcome {
      case .success(let addresses) where !addresses.isEmpty: state.cache.store(addresses, for: host, now: now)
      case .failure(let error) where error.reason == .notFound: state.cache.store([], for: host, now: now)
      case .success, .failure: break
      }
      return state.questions.removeValue(forKey: host) ?? []
    }
    for asker in askers { asker.fulfil(outcome) }
  }
}

/// `getaddrinfo`, which blocks.
package enum AddressLookup {
  /// The addresses of a name with port 0, in the order of RFC 6724 that the C library gives them.
  ///
  /// Without `AI_ADDRCONFIG`: on a machine that has only loopback addresses it hides every answer, and an address of a
  /// family without a route fails at once and costs the race nothing.
  package static func addresses(of host: String) -> Result<[SocketAddress], ResolveError> {
    // SAFETY: hints without pointers.
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // SAFETY: the name ends with a zero byte; the list is freed below and not used afterwards.
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    let number = errno
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    guard status == 0 else {
      return .failure(ResolveError(host: host, reason: reason(status, number)))
    }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    // SAFETY: the C library links entries whose addresses have the length that they name.
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ai_next
      guard let raw = unsafe entry.ai_addr else { continue }
      var storage = sockaddr_storage()
      let length = unsafe min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
      unsafe withUnsafeMutableBytes(of: &storage) {
        unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: length))
      }
      guard let address = SocketAddress(storage, length: length), !addresses.contains(address) else { continue }
      addresses.append(address)
    }
    return addresses.isEmpty
      ? .failure(ResolveError(host: host, reason: .notFound)) : .success(addresses)
  }

  private static func reason(_ status: CInt, _ number: CInt) -> ResolveError.Reason {
    switch status {
    // -5 is EAI_NODATA, which only the GNU headers name: the name exists but has no address.
    case EAI_NONAME, -5: return .notFound
    case EAI_AGAIN: return .temporary
    case EAI_SYSTEM: return .failed(SystemError(number: number, call: "getaddrinfo").description)
    default:
      // SAFETY: the C library gives a constant text that ends with a zero byte.
      return .failed(unsafe gai_strerror(status).map { unsafe String(cString: $0) } ?? "error \(status)")
    }
  }
}
