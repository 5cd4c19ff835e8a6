/// A double-ended queue on one circular array: O(1) at both ends, no allocation while the capacity suffices.
package struct RingDeque<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline package internal(set) var count = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }
  @inlinable package var first: Element? { count == 0 ? nil : slots[head] }
  @inlinable package var last: Element? { count == 0 ? nil : slots[index(count - 1)] }

  @inlinable func index(_ offset: Int) -> Int {
    let raw = head + offset
    return raw < slots.count ? raw : raw - slots.count
  }

  @inlinable package mutating func append(_ element: Element) {
    growIfFull()
    slots[index(count)] = element
    count += 1
  }

  @inlinable package mutating func prepend(_ element: Element) {
    growIfFull()
    head = head == 0 ? slots.count - 1 : head - 1
    slots[head] = element
    count += 1
  }

  @inlinable package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[head]
    slots[head] = nil
    head = index(1)
    count -= 1
    if count == 0 { head = 0 }
    return element
  }

  @inlinable package mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    let position = index(count - 1)
    let element = slots[position]
    slots[position] = nil
    count -= 1
    return element
  }

  /// Puts `element` in the place of the first; does nothing when there is none.
  @inlinable package mutating func replaceFirst(with element: Element) {
    guard count > 0 else { return }
    slots[head] = element
  }

  /// Removes the first element for which `predicate` holds; O(n).
  @inlinable package mutating func removeFirst(where predicate: (Element) -> Bool) -> Element? {
    for offset in 0..<count {
      guard let element = slots[index(offset)], predicate(element) else { continue }
      for later in offset..<(count - 1) { slots[index(later)] = slots[index(later + 1)] }
      slots[index(count - 1)] = nil
      count -= 1
      return element
    }
    return nil
  }

  @inlinable mutating func growIfFull() {
    guard count == slots.count else { return }
    var bigger = [Element?]()
    bigger.reserveCapacity(Swift.max(8, slots.count * 2))
    bigger.append(contentsOf: slots[head...])
    bigger.append(contentsOf: slots[..<head])
    while bigger.count < Swift.max(8, slots.count * 2) { bigger.append(nil) }
    slots = bigger
    head = 0
  }
}

extension RingDeque: Sendable where Element: Sendable {}

extension RingDeque: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate let deque: RingDeque
    @usableFromInline var offset = 0

    @inlinable package mutating func next() -> Element? {
      guard offset < deque.count else { return nil }
      defer { offset += 1 }
      return deque.slots[deque.index(offset)]
    }
  }

  /// From the first to the last.
  @inlinable package func makeIterator() -> Iterator { Iterator(deque: self) }
  @inlinable package var underestimatedCount: Int { count }
}
