import LinnetHTTPTypes
import Testing

@Suite("HTTPStatus")
struct HTTPStatusTests {
  @Test("a status has three digits, the first not 0", arguments: [Int.min, -1, 0, 99, 1000, Int.max])
  func outOfRange(_ code: Int) {
    #expect(HTTPStatus(code: code) == nil)
  }

  @Test("every code from 100 to 999 is a status of the class of its first digit")
  func kinds() throws {
    for code in 100...999 {
      let status = try #require(HTTPStatus(code: code))
      #expect(status.code == code)
      let expected: HTTPStatus.Kind =
        switch code / 100 {
        case 1: .informational
        case 2: .successful
        case 3: .redirection
        case 4: .clientError
        default: .serverError
        }
      #expect(status.kind == expected)
      #expect(status.isSuccessful == (200...299).contains(code))
    }
  }

  @Test("named statuses have their codes and phrases")
  func names() {
    #expect(HTTPStatus.ok.code == 200)
    #expect(HTTPStatus.ok.description == "200 OK")
    #expect(HTTPStatus.notFound.description == "404 Not Found")
    #expect(HTTPStatus.contentTooLarge.reasonPhrase == "Content Too Large")
    #expect(HTTPStatus.networkAuthenticationRequired.code == 511)
    #expect(HTTPStatus.continue.kind == .informational)
  }

  @Test("an unregistered code has no phrase")
  func unregistered() {
    #expect(HTTPStatus(code: 299)?.reasonPhrase == "")
    #expect(HTTPStatus(code: 299)?.description == "299")
    #expect((100...999).filter { HTTPStatus(code: $0)?.reasonPhrase != "" }.count == 62)
  }

  @Test("statuses are equal and ordered by code")
  func order() {
    #expect(HTTPStatus(code: 404) == .notFound)
    #expect(HTTPStatus.ok < .notFound)
  }
}
