/// A list that holds up to two elements inline, so that the actions of a machine allocate only in rare cases.
package enum SmallList<Element> {
  case none
  case one(Element)
  case two(Element, Element)
  case many([Element])

  @inlinable @inline(__always) package init() { self = .none }

  @inlinable @inline(__always) package var isEmpty: Bool {
    if case .none = self { return true }
    return false
  }

  @inlinable @inline(__always) package var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .two: 2
    case .many(let elements): elements.count
    }
  }

  @inlinable @inline(__always) package mutating func append(_ element: Element) {
    switch self {
    case .none: self = .one(element)
    case .one(let first): self = .two(first, element)
    case .two(let first, let second): self = .many([first, second, element])
    case .many(var elements):
      self = .none
      elements.append(element)
      self = .many(elements)
    }
  }
}

extension SmallList: Sendable where Element: Sendable {}
extension SmallList: Equatable where Element: Equatable {
  @inlinable @inline(__always) package static func == (left: SmallList, right: SmallList) -> Bool { left.elementsEqual(right) }
}

extension SmallList: ExpressibleByArrayLiteral {
  @inlinable @inline(__always) package init(arrayLiteral elements: Element...) {
    self = .none
    for element in elements { append(element) }
  }
}

extension SmallList: Sequence {
  package struct Iterator: IteratorProtocol {
    @usableFromInline let list: SmallList
    @usableFromInline var position = 0

    @inlinable @inline(__always) package mutating func next() -> Element? {
      defer { position += 1 }
      switch list {
      case .none: return nil
      case .one(let first): return position == 0 ? first : nil
      case .two(let first, let second): return position == 0 ? first : position == 1 ? second : nil
      case .many(let elements): return position < elements.count ? elements[position] : nil
      }
    }
  }

  @inlinable @inline(__always) package func makeIterator() -> Iterator { Iterator(list: self) }
}
