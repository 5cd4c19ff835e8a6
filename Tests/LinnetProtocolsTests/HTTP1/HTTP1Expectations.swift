import LinnetProtocols
import Testing

/// Runs `response` with every standard cut, expects equal transcripts, and returns one.
@discardableResult
func expectSame(
  _ response: String, _ exchange: Exchange = Exchange(), sourceLocation: SourceLocation = #_sourceLocation
) -> HTTP1Transcript {
  expectSame(Array(response.utf8), exchange, sourceLocation: sourceLocation)
}

@discardableResult
func expectSame(
  _ response: [UInt8], _ exchange: Exchange = Exchange(), sourceLocation: SourceLocation = #_sourceLocation
) -> HTTP1Transcript {
  let whole = exchange.transcript(response, .whole)
  for cut in Cut.standard {
    let other = exchange.transcript(response, cut)
    #expect(other == whole, "cut: \(cut)", sourceLocation: sourceLocation)
  }
  return whole
}

/// The error that every cut of `response` ends with.
func expectFailure(
  _ response: String, _ reason: HTTP1Error.Reason, _ exchange: Exchange = Exchange(),
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let transcript = expectSame(response, exchange, sourceLocation: sourceLocation)
  #expect(transcript.items.last == .failed(.remote(reason)), "\(transcript)", sourceLocation: sourceLocation)
  #expect(!transcript.canReuse, sourceLocation: sourceLocation)
}

extension Exchange {
  /// The peer closes behind the response.
  static var closing: Exchange { Exchange(endsAfterInput: true) }
}
