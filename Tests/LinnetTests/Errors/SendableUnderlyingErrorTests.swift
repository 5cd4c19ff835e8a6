import FoundationEssentials
import Linnet
import LinnetHTTP
import Testing

@Suite("Errors: underlying errors")
struct SendableUnderlyingErrorTests {
  private enum Numbered: Int, Error { case seven = 7 }
  private struct Explained: LocalizedError {
    var errorDescription: String? { "It broke.\nTwice." }
    var failureReason: String? { "It was old." }
    var recoverySuggestion: String? { "Buy a new one." }
  }
  private struct Coded: DomainCodedError {
    static var errorDomain: String { "Coded" }
    var errorCode: Int { 3 }
  }

  @Test("domain and code are the error's own, or its type's name and raw value")
  func identity() {
    let numbered = SendableUnderlyingError(Numbered.seven)
    #expect(numbered.domain.hasSuffix("Numbered"))
    #expect(numbered.code == 7)
    let coded = SendableUnderlyingError(Coded())
    #expect(coded.domain == "Coded")
    #expect(coded.code == 3)
    let explained = SendableUnderlyingError(Explained())
    #expect(explained.message == "It broke. Twice.")
    #expect(explained.failureReason == "It was old.")
    #expect(explained.recoverySuggestion == "Buy a new one.")
    #expect(explained.code == 0)
  }

  @Test("two are equal when domain and code are")
  func equality() {
    let one = SendableUnderlyingError(domain: "d", code: 1, message: "a")
    #expect(one == SendableUnderlyingError(domain: "d", code: 1, message: "b", underlyingChain: [frame(2)]))
    #expect(one.hashValue == SendableUnderlyingError(domain: "d", code: 1, message: "b").hashValue)
    #expect(one != SendableUnderlyingError(domain: "d", code: 2, message: "a"))
    #expect(one != SendableUnderlyingError(domain: "e", code: 1, message: "a"))
  }

  private func frame(_ code: Int) -> SendableUnderlyingError.Frame {
    SendableUnderlyingError.Frame(domain: "d", code: code, message: "cause \(code)")
  }

  @Test("the chain has at most five causes, and the description shows it")
  func chain() {
    let error = SendableUnderlyingError(
      domain: "d", code: 0, message: "failed", underlyingChain: (1...9).map(frame))
    #expect(error.underlyingChain.map(\.code) == [1, 2, 3, 4, 5])
    #expect(error.underlying?.code == 1)
    #expect(error.description.hasPrefix("failed (d 0); caused by: cause 1 (d 1); caused by: cause 2"))
    #expect(error.description.hasSuffix("cause 5 (d 5)"))
  }

  @Test("errors of this library that wrap each other end in one chain of limited depth")
  func nesting() throws {
    var error: any Error = Numbered.seven
    for _ in 0..<10 {
      error = TransportError(
        code: .requestBodyFailed, phase: .send, sent: .maybe, reason: "the stream failed", underlying: error)
    }
    #expect(SendableUnderlyingError(error).underlyingChain.count == 5)
    let kept = SendableUnderlyingError(domain: "d", code: 1, message: "a", underlyingChain: [frame(2)])
    let outer = TransportError(
      code: .requestBodyFailed, phase: .send, sent: .maybe, reason: "the stream failed",
      underlying: NetworkError.underlying(kept, nil))
    #expect(SendableUnderlyingError(outer).underlyingChain.map(\.code) == [1, 2])
    #expect(SendableUnderlyingError(NetworkError.cancelled).code == 4004)
    #expect(SendableUnderlyingError(kept).underlying?.code == 2)
  }
}
