/// A double-ended queue on one circular array: O(1) at both ends, no allocation while the capacity suffices.
public struct RingDeque<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline var storedCount = 0

  /// The number of elements.
  @inlinable public var count: Int { storedCount }

  /// An empty queue; it does not allocate.
  @inlinable public init() {}

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { count == 0 }
  /// The element at the front.
  @inlinable public var first: Element? { count == 0 ? nil : slots[head] }
  /// The element at the back.
  @inlinable public var last: Element? { count == 0 ? nil : slots[index(count - 1)] }

  @inlinable func index(_ offset: Int) -> Int {
    let raw = head + offset
    return raw < slots.count ? raw : raw - slots.count
  }

  /// Adds an element at the back.
  @inlinable public mutating func append(_ element: Element) {
    growIfFull()
    slots[index(count)] = element
    storedCount += 1
  }

  /// Adds an element at the front.
  @inlinable public mutating func prepend(_ element: Element) {
    growIfFull()
    head = head == 0 ? slots.count - 1 : head - 1
    slots[head] = element
    storedCount += 1
  }

  /// Takes the element at the front.
  @inlinable public mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[head]
    slots[head] = nil
    head = index(1)
    storedCount -= 1
    if count == 0 { head = 0 }
    return element
  }

  /// Takes the element at the back.
  @inlinable public mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    let position = index(count - 1)
    let element = slots[position]
    slots[position] = nil
    storedCount -= 1
    return element
  }

  /// Puts `element` in the place of the first; does nothing when there is none.
  @inlinable public mutating func replaceFirst(with element: Element) {
    guard count > 0 else { return }
    slots[head] = element
  }

  /// Removes the first element for which `predicate` holds; O(n).
  @inlinable public mutating func removeFirst(where predicate: (Element) -> Bool) -> Element? {
    for offset in 0..<count {
      guard let element = slots[index(offset)], predicate(element) else { continue }
      for later in offset..<(count - 1) { slots[index(later)] = slots[index(later + 1)] }
      slots[index(count - 1)] = nil
      storedCount -= 1
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
  /// From the front to the back.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let deque: RingDeque
    @usableFromInline var offset = 0

    @inlinable init(_ deque: RingDeque) { self.deque = deque }

    /// The next element; nil at the end.
    @inlinable public mutating func next() -> Element? {
      guard offset < deque.count else { return nil }
      defer { offset += 1 }
      return deque.slots[deque.index(offset)]
    }
  }

  /// From the first to the last.
  @inlinable public func makeIterator() -> Iterator { Iterator(self) }
  /// The number of elements.
  @inlinable public var underestimatedCount: Int { count }
}
