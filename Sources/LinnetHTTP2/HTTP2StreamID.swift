/// Names a stream of one connection; a client's are odd and grow (RFC 9113 §5.1.1).
package struct HTTP2StreamID: RawRepresentable, Hashable, Sendable, Comparable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static func < (left: HTTP2StreamID, right: HTTP2StreamID) -> Bool { left.rawValue < right.rawValue }
}

extension HTTP2StreamID: CustomStringConvertible {
  package var description: String { String(rawValue) }
}
