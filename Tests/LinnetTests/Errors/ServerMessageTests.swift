import Linnet
import LinnetHTTP
import Testing

@Suite("Errors: the server's message")
struct ServerMessageTests {
  @Test(
    "the message is taken from the usual fields",
    arguments: [
      (#"{"error":"a"}"#, "a"), (#"{"message":"b"}"#, "b"), (#"{"detail":"c"}"#, "c"), (#"{"title":"d"}"#, "d"),
      (#"{"message":"b","error":"a"}"#, "a"), (#"{"detail":"c","message":"b"}"#, "b"),
      (#"{"error":{"message":"nested","code":7}}"#, "nested"), (#"{"error":{"code":7},"message":"b"}"#, "b"),
      (#"{"errors":[{"message":"first"},{"message":"second"}]}"#, "first"), (#"{"error":42,"detail":"c"}"#, "c"),
      (#"{"error":"","message":"b"}"#, "b"), (#"{"error":"two\nlines"}"#, "two lines"),
      (#"{"error":null}"#, nil), (#"{}"#, nil), (#"[]"#, nil), (#""text""#, nil), ("<html>", nil), ("", nil),
    ])
  func fields(_ body: String, _ expected: String?) {
    #expect(NetworkError.statusCode(ErrorSamples.response(400, body: body)).serverMessage == expected)
  }

  @Test("a problem document prefers its detail")
  func problem() {
    let headers: HTTPHeaders = ["Content-Type": "application/problem+json; charset=utf-8"]
    let body = #"{"title":"Out of credit","detail":"The balance is 30.","error":"x"}"#
    let problem = ErrorSamples.response(403, body: body, headers: headers)
    #expect(NetworkError.statusCode(problem).serverMessage == "The balance is 30.")
    let titled = ErrorSamples.response(403, body: #"{"title":"Out of credit"}"#, headers: headers)
    #expect(NetworkError.statusCode(titled).serverMessage == "Out of credit")
  }

  @Test("a message is short, and an error without response has none")
  func limits() {
    let long = ErrorSamples.response(400, body: #"{"error":""# + String(repeating: "x", count: 10_000) + #""}"#)
    #expect(NetworkError.statusCode(long).serverMessage?.count == 500)
    #expect(NetworkError.cancelled.serverMessage == nil)
  }
}
