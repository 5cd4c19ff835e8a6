/// Values by key, each with a cost. Above its budget the table drops the values that were not used for the longest time.
/// Every operation takes constant time; dropping takes constant time for each value dropped.
///
/// The values are linked from the most to the least recently used by their places in one array, so nothing is allocated
/// for a link, and a place is used again.
package struct LRUTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Node: Sendable {
    var key: Key
    var value: Value
    var cost: Int
    /// The neighbours; nil at the ends.
    var newer: Int?
    var older: Int?
  }

  private var nodes: [Node?] = []
  private var vacant: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  private let costLimit: Int
  private let countLimit: Int

  /// The cost of all values.
  package private(set) var cost = 0
  /// The number of values.
  package var count: Int { places.count }

  /// - Parameters:
  ///   - costLimit: The largest sum of costs.
  ///   - countLimit: The largest number of values.
  package init(costLimit: Int, countLimit: Int) {
    self.costLimit = max(0, costLimit)
    self.countLimit = max(0, countLimit)
  }

  /// The value of a key, which becomes the most recently used.
  package mutating func value(for key: Key) -> Value? {
    guard let place = places[key], let value = nodes[place]?.value else { return nil }
    unlink(place)
    linkAsNewest(place)
    return value
  }

  /// Puts a value in the place of the key's old one, as the most recently used.
  ///
  /// - Returns: The keys of the values that were dropped for it. The key itself when the value alone is over the budget.
  package mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
    remove(key)
    let cost = max(0, cost)
    guard cost <= costLimit, countLimit > 0 else { return [key] }
    var dropped: [Key] = []
    while self.cost > costLimit - cost || count >= countLimit, let place = oldest, let key = nodes[place]?.key {
      remove(key)
      dropped.append(key)
    }
    let node = Node(key: key, value: value, cost: cost)
    let place = vacant.popLast() ?? nodes.count
    if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
    places[key] = place
    self.cost += cost
    linkAsNewest(place)
    return dropped
  }

  /// Drops the value of a key.
  package mutating func remove(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    cost -= nodes[place]?.cost ?? 0
    unlink(place)
    nodes[place] = nil
    vacant.append(place)
  }

  /// The keys from the most to the least recently used.
  package var keysByRecency: [Key] {
    var keys: [Key] = []
    var next = newest
    while let place = next, let node = nodes[place] {
      keys.append(node.key)
      next = node.older
    }
    return keys
  }

  private mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }

  private mutating func linkAsNewest(_ place: Int) {
    nodes[place]?.newer = nil
    nodes[place]?.older = newest
    if let newest { nodes[newest]?.newer = place } else { oldest = place }
    newest = place
  }
}
