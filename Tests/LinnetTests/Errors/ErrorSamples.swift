import FoundationEssentials
import Linnet
import LinnetHTTP

/// Errors and responses for the tests of this folder.
enum ErrorSamples {
  static func response(
    _ status: Int, body: String = "", headers: HTTPHeaders = HTTPHeaders(),
    request: HTTPRequest? = HTTPRequest(method: .get, url: "https://api.example.com/users?page=2")
  ) -> Response {
    let head = ResponseHead(status: HTTPStatus(code: status) ?? .ok, headers: headers)
    return Response(statusCode: status, data: Data(body.utf8), request: request, response: head)
  }

  static func transport(_ code: TransportError.Code, reason: String = "it failed") -> TransportError {
    TransportError(
      code: code, phase: .connect, sent: .nothing, reason: reason, method: .get,
      url: try? HTTPURL("https://user:secret@api.example.com/users?page=2"))
  }

  static let foreign = SendableUnderlyingError(domain: "Application", code: 7, message: "the token store is locked")

  static let decoding = NetworkError.decoding(
    DecodingError.valueNotFound(String.self, .init(codingPath: [], debugDescription: "null instead")),
    stage: .responseBody, data: nil, response: response(200))
}
