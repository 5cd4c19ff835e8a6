package import LinnetBytes
package import LinnetHTTPTypes

/// What ``HTTP1ClientMachine/nextEvent()`` reports, in the order in which it happens on the wire.
package enum HTTP1Event: Sendable {
  /// Nothing to report until more bytes or the end of input arrive.
  case needMoreData
  /// A 1xx response other than 101; the final one follows (RFC 9110 §15.2).
  case interim(ResponseHead)
  /// The final response.
  case head(ResponseHead, body: ResponseBodyLength)
  /// A contiguous run of body bytes, never empty.
  case body(ByteChunk)
  /// The response is complete. Trailers are nil unless a chunked body carried some.
  case end(trailers: HTTPHeaders?)
  /// Between messages, or the connection is a tunnel now: the machine does not look at further bytes.
  case paused
  /// The peer closed while no response was due.
  case closed
}

/// What the head of a response says about its body.
package enum ResponseBodyLength: Sendable, Hashable {
  case none
  case known(UInt64)
  /// Chunked, or it ends with the connection.
  case unknown
}

/// How much body a request will have.
package enum RequestBodyLength: Sendable, Hashable {
  case none
  case known(UInt64)
  case chunked
}
