/// A list that holds up to two elements inline, so that the actions of a machine allocate only in rare cases.
public enum SmallList<Element> {
  /// No element.
  case none
  /// One element.
  case one(Element)
  /// Two elements.
  case two(Element, Element)
  /// Three elements or more.
  case many([Element])

  /// An empty list.
  @inlinable public init() { self = .none }

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool {
    if case .none = self { return true }
    return false
  }

  /// The number of elements.
  @inlinable public var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .two: 2
    case .many(let elements): elements.count
    }
  }

  /// Adds an element at the end; the third allocates.
  @inlinable public mutating func append(_ element: Element) {
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
  /// Whether both have equal elements in the same order.
  @inlinable public static func == (left: SmallList, right: SmallList) -> Bool { left.elementsEqual(right) }
}

extension SmallList: ExpressibleByArrayLiteral {
  /// A list of these elements.
  @inlinable public init(arrayLiteral elements: Element...) {
    self = .none
    for element in elements { append(element) }
  }
}

extension SmallList: Sequence {
  /// From the first to the last.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let list: SmallList
    @usableFromInline var position = 0

    @inlinable init(_ list: SmallList) { self.list = list }

    /// The next element; nil at the end.
    @inlinable public mutating func next() -> Element? {
      defer { position += 1 }
      switch list {
      case .none: return nil
      case .one(let first): return position == 0 ? first : nil
      case .two(let first, let second): return position == 0 ? first : position == 1 ? second : nil
      case .many(let elements): return position < elements.count ? elements[position] : nil
      }
    }
  }

  /// From the first to the last.
  @inlinable public func makeIterator() -> Iterator { Iterator(self) }
}
