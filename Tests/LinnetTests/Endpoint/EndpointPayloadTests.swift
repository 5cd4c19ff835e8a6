import Linnet
import Testing

struct EndpointPayloadTests {
  private typealias Alias = Int?

  @Test("A payload is sent as it is")
  func value() {
    let parameters: Int? = EndpointPayload.parameters(5)
    #expect(parameters == 5)
  }

  @Test("An alias of an optional sends nothing for nil, and its value otherwise")
  func alias() {
    let none: Alias = nil
    let some: Alias = 5
    let nothing: Alias? = EndpointPayload.parameters(none)
    let five: Alias? = EndpointPayload.parameters(some)
    #expect(nothing == nil)
    #expect(five == .some(.some(5)))
  }
}
