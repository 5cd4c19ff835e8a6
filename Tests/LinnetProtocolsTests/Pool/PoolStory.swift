import LinnetBytes
import LinnetProtocols
import Testing

/// A pool with a clock in milliseconds, so that each rule reads as a short story.
final class Pool {
  var machine: PoolMachine
  var now = Instant(nanoseconds: 0)
  private var nextWaiter: UInt64 = 0

  init(_ configure: (inout PoolLimits) -> Void = { _ in }) {
    var limits = PoolLimits()
    configure(&limits)
    machine = PoolMachine(limits: limits)
  }

  func pass(_ milliseconds: Int) { now = now.advanced(by: .milliseconds(milliseconds)) }

  func enqueue(within milliseconds: Int = 10_000) -> (waiter: PoolMachine.WaiterID, action: PoolMachine.Action) {
    let waiter = PoolMachine.WaiterID(rawValue: nextWaiter)
    nextWaiter += 1
    return (
      waiter, machine.enqueue(waiter, deadline: now.advanced(by: .milliseconds(milliseconds)), now: now)
    )
  }

  /// Queues a request and gives the dial that it starts, if any.
  func dial() -> PoolMachine.ConnectionID? { enqueue().action.dials.first }

  /// A new connection, leased to one request.
  func connect(streams: Int = 1) throws -> PoolMachine.ConnectionID {
    let id = try #require(dial())
    #expect(establish(id, streams: streams).leases.count == 1)
    return id
  }

  func establish(_ id: PoolMachine.ConnectionID, streams: Int, isMultiplexed: Bool = false) -> PoolMachine.Action {
    machine.connectionEstablished(id, streams: streams, isMultiplexed: isMultiplexed, now: now)
  }

  func lease() -> PoolMachine.ConnectionID? { machine.leaseIdle(now: now) }

  func fire() -> PoolMachine.Action { machine.timerFired(now: now) }

  /// The timer's time, in milliseconds since the start.
  var deadline: Int? { machine.nextDeadline.map { Int($0.nanoseconds / 1_000_000) } }

  func release(_ id: PoolMachine.ConnectionID, reusable: Bool = true) -> PoolMachine.Action {
    machine.streamReleased(id, reusable: reusable, now: now)
  }
}

extension SmallList {
  var first: Element? { first { _ in true } }
}

extension PoolMachine.Action {
  var served: [PoolMachine.WaiterID] { leases.map(\.waiter) }
  var failed: [PoolMachine.WaiterID] { failures.map(\.waiter) }
}
