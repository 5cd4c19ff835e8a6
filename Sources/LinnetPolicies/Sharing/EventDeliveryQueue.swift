internal import LinnetBytes

/// The events that wait for one slow observer: in order, bounded, and never without the end of a request.
///
/// For the event hub only, which has one for each observer.
///
/// Theory of operation
///
/// Events belong to *partitions*, one for each request. Both a partition and the whole queue have a limit; an event
/// beyond it displaces the oldest one that waits (of its partition, or of all), or is itself dropped, as the policy
/// says. *Final* events are never dropped and displace the oldest one even when new events are otherwise dropped; only
/// when everything that waits is final does the queue grow beyond its limit. So an observer may miss steps of a
/// request, but never its end, and what it sees is in the order in which it happened.
package struct EventDeliveryQueue<Partition: Hashable & Sendable, Event: Sendable>: Sendable {
  package struct Limits: Sendable, Hashable {
    package var maximumPerPartition: Int
    package var maximum: Int
    /// Whether the oldest gives way rather than the newest.
    package var dropsOldest: Bool

    package init(maximumPerPartition: Int, maximum: Int, dropsOldest: Bool) {
      self.maximumPerPartition = maximumPerPartition
      self.maximum = maximum
      self.dropsOldest = dropsOldest
    }
  }

  private struct Entry: Sendable {
    let partition: Partition
    let event: Event
    let isFinal: Bool
  }

  private let limits: Limits
  private var entries: [UInt64: Entry] = [:]
  /// The numbers in order of arrival. Those of dropped events stay until they come to the front or are swept out.
  private var order = RingDeque<UInt64>()
  /// As ``order``, without final events.
  private var displaceable = RingDeque<UInt64>()
  /// As ``displaceable``, for each partition that has events waiting.
  private var partitions: [Partition: Waiting] = [:]
  private var nextNumber: UInt64 = 0
  /// How many events were dropped since the queue was made.
  package private(set) var droppedCount = 0

  private struct Waiting: Sendable {
    var count = 0
    var displaceable = RingDeque<UInt64>()
  }

  package init(limits: Limits) { self.limits = limits }

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }

  /// An event happened.
  package mutating func eventHappened(_ event: Event, in partition: Partition, isFinal: Bool) {
    let mayDisplace = limits.dropsOldest || isFinal
    if let waiting = partitions[partition], waiting.count >= max(1, limits.maximumPerPartition) {
      let displaced = mayDisplace ? removeOldest(of: partition) : false
      guard displaced || isFinal else { return drop() }
    }
    if entries.count >= max(1, limits.maximum) {
      let displaced = mayDisplace ? removeOldest() : false
      guard displaced || isFinal else { return drop() }
    }
    append(Entry(partition: partition, event: event, isFinal: isFinal))
  }

  /// The next event for the observer.
  package mutating func takeNext() -> Event? {
    while let number = order.popFirst() {
      if let entry = remove(number) { return entry.event }
    }
    return nil
  }

  private mutating func append(_ entry: Entry) {
    nextNumber &+= 1
    entries[nextNumber] = entry
    order.append(nextNumber)
    partitions[entry.partition, default: Waiting()].count += 1
    if !entry.isFinal {
      displaceable.append(nextNumber)
      partitions[entry.partition]?.displaceable.append(nextNumber)
    }
    sweep()
  }

  private mutating func drop() { droppedCount += 1 }

  private mutating func removeOldest() -> Bool {
    while let number = displaceable.popFirst() {
      guard remove(number) != nil else { continue }
      drop()
      return true
    }
    return false
  }

  private mutating func removeOldest(of partition: Partition) -> Bool {
    while let number = partitions[partition]?.displaceable.popFirst() {
      guard remove(number) != nil else { continue }
      drop()
      return true
    }
    return false
  }

  private mutating func remove(_ number: UInt64) -> Entry? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    // Events leave mostly in order, so this keeps the lists free of numbers that are gone.
    if displaceable.first == number { _ = displaceable.popFirst() }
    if partitions[entry.partition]?.displaceable.first == number {
      _ = partitions[entry.partition]?.displaceable.popFirst()
    }
    partitions[entry.partition]?.count -= 1
    if partitions[entry.partition]?.count == 0 { partitions[entry.partition] = nil }
    return entry
  }

  /// Takes out the numbers of events that are gone, when they are the majority: constant time for each event on average.
  private mutating func sweep() {
    if order.count > 2 * entries.count + 64 { order = present(order) }
    if displaceable.count > 2 * entries.count + 64 { displaceable = present(displaceable) }
  }

  private func present(_ numbers: RingDeque<UInt64>) -> RingDeque<UInt64> {
    var kept = RingDeque<UInt64>()
    for number in numbers where entries[number] != nil { kept.append(number) }
    return kept
  }
}
