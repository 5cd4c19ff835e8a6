internal import LinnetHTTP

/// Finds the recorded request for one that is sent, and says why there is none.
struct VCRLookup: Sendable {
  private let wanted: VCRRequest
  private let redaction: VCRRedactionPolicy

  init(_ wanted: VCRRequest, redaction: VCRRedactionPolicy) {
    self.wanted = wanted
    self.redaction = redaction
  }

  /// Whether method, URL and body are the same. A cassette that was written by hand may have secrets; they do not count.
  func matches(_ recorded: VCRRequest) -> Bool {
    recorded.method == wanted.method && recorded.bodySHA256 == wanted.bodySHA256
      && redaction.redactQuery(of: recorded.url) == wanted.url
  }

  /// Why a cassette has no answer, in one line.
  func explanation(in cassette: VCRCassette) -> String {
    let matching = cassette.interactions.count { matches($0.request) }
    if matching > 0 {
      return
        "the cassette has \(matching) \(matching == 1 ? "response" : "responses") to this request, and all were used"
    }
    guard let (position, closest) = closest(in: cassette) else { return "the cassette is empty" }
    let recorded = closest.request
    var differences: [String] = []
    if recorded.method != wanted.method { differences.append("method") }
    if redaction.redactQuery(of: recorded.url) != wanted.url { differences.append("URL") }
    if recorded.bodySHA256 != wanted.bodySHA256 { differences.append("body") }
    let url = redaction.redactQuery(of: recorded.url)
    return "the cassette has no response to this request; closest is number \(position + 1), "
      + "\(recorded.method.rawValue) \(url), which differs in \(differences.joined(separator: " and "))"
  }

  private func closest(in cassette: VCRCassette) -> (Int, VCRInteraction)? {
    cassette.interactions.enumerated().max { left, right in
      likeness(left.element.request) < likeness(right.element.request)
    }.map { ($0.offset, $0.element) }
  }

  /// A number that grows with what two requests have in common: most of all the URL, then the method, then the body.
  private func likeness(_ recorded: VCRRequest) -> Int {
    let shared = zip(recorded.url.utf8, wanted.url.utf8).prefix { $0 == $1 }.count
    let isSameURL = recorded.url == wanted.url
    return shared * 4 + (isSameURL ? 3 : 0) + (recorded.method == wanted.method ? 2 : 0)
      + (recorded.bodySHA256 == wanted.bodySHA256 ? 1 : 0)
  }
}
