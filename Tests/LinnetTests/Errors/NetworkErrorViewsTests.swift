import FoundationEssentials
import Linnet
import LinnetHTTP
import Testing

@Suite("Errors: views")
struct NetworkErrorViewsTests {
  /// What a row says besides its names.
  enum Hint: Sendable {
    case retriable, hidden, response
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let error: NetworkError
    let code: NetworkErrorCode
    let category: NetworkErrorCategory
    let isRetriable: Bool
    let isVisible: Bool
    let hasResponse: Bool
    let urlErrorCode: Int?
    let stable: String
    let text: NetworkErrorText

    init(
      _ error: NetworkError, _ code: NetworkErrorCode, _ category: NetworkErrorCategory, hints: Set<Hint> = [],
      url: Int? = nil, _ stable: String, _ text: NetworkErrorText
    ) {
      self.error = error
      self.code = code
      self.category = category
      isRetriable = hints.contains(.retriable)
      isVisible = !hints.contains(.hidden)
      hasResponse = hints.contains(.response)
      urlErrorCode = url
      self.stable = stable
      self.text = text
    }
    var testDescription: String { stable }
  }

  private static func own(_ code: NetworkErrorCode) -> SendableUnderlyingError {
    SendableUnderlyingError(domain: NetworkError.errorDomain, code: code.rawValue, message: "own")
  }

  static let rows: [Row] = [
    Row(
      .configuration(reason: .invalidBaseURL("no host")), .configurationInvalidBaseURL, .configuration,
      hints: [.hidden],
      url: -1000, "configuration.invalid_base_url", .invalidBaseURL),
    Row(
      .configuration(reason: .invalidRequest("a body")), .configurationInvalidRequest, .configuration, hints: [.hidden],
      "configuration.invalid_request", .invalidRequest),
    Row(
      .configuration(reason: .offline("no route")), .configurationOffline, .configuration, url: -1009,
      "configuration.offline", .offline),
    Row(
      .statusCode(ErrorSamples.response(400)), .statusCode, .statusCode, hints: [.response], "http.status.400",
      .statusCode),
    Row(
      .statusCode(ErrorSamples.response(401)), .statusCode, .statusCode, hints: [.response], "http.status.401",
      .unauthorized),
    Row(
      .statusCode(ErrorSamples.response(403)), .statusCode, .statusCode, hints: [.response], "http.status.403",
      .forbidden),
    Row(
      .statusCode(ErrorSamples.response(404)), .statusCode, .statusCode, hints: [.response], "http.status.404",
      .notFound),
    Row(
      .statusCode(ErrorSamples.response(408)), .statusCode, .statusCode, hints: [.retriable, .response],
      "http.status.408", .statusCode),
    Row(
      .statusCode(ErrorSamples.response(425)), .statusCode, .statusCode, hints: [.retriable, .response],
      "http.status.425", .statusCode),
    Row(
      .statusCode(ErrorSamples.response(429)), .statusCode, .statusCode, hints: [.retriable, .response],
      "http.status.429", .tooManyRequests),
    Row(
      .statusCode(ErrorSamples.response(503)), .statusCode, .statusCode, hints: [.retriable, .response],
      "http.status.503", .serverFailure),
    Row(ErrorSamples.decoding, .decoding, .decoding, hints: [.response], "decoding.response_body", .responseUnreadable),
    Row(
      .decoding(stage: .streamFrame, underlying: ErrorSamples.foreign, response: nil), .decoding, .decoding,
      "decoding.stream_frame", .streamUnreadable),
    Row(
      .decoding(stage: .streamFrame, underlying: own(.streamFrameTooLarge), response: nil), .streamFrameTooLarge,
      .decoding, "decoding.stream_frame", .streamFrameTooLarge),
    Row(
      .underlying(ErrorSamples.foreign, nil), .underlying, .transport, hints: [.retriable], "transport.4001", .transport
    ),
    Row(
      .underlying(own(.nonHTTPResponse), ErrorSamples.response(200)), .nonHTTPResponse, .transport, hints: [.response],
      url: -1011, "transport.3002", .notHTTP),
    Row(
      .underlying(own(.responseBodyLimitExceeded), nil), .responseBodyLimitExceeded, .transport, url: -1103,
      "transport.4003", .bodyTooLarge),
    Row(
      NetworkError(ErrorSamples.transport(.bodyNotReplayable)), .underlying, .transport, "transport.4001", .transport),
    Row(
      NetworkError(ErrorSamples.transport(.systemError)), .underlying, .transport, hints: [.retriable],
      "transport.4001",
      .transport),
    Row(
      .reachability(.notConnectedToInternet, ErrorSamples.foreign, nil), .reachability, .reachability,
      hints: [.retriable],
      url: -1009, "reachability.not_connected", .notConnected),
    Row(
      .reachability(.dnsLookupFailed, ErrorSamples.foreign, nil), .reachability, .reachability, hints: [.retriable],
      url: -1006, "reachability.dns_lookup_failed", .nameLookupFailed),
    Row(
      .reachability(.cannotFindHost, ErrorSamples.foreign, nil), .reachability, .reachability, hints: [.retriable],
      url: -1003, "reachability.cannot_find_host", .hostNotFound),
    Row(
      .reachability(.connectionRefused, ErrorSamples.foreign, nil), .reachability, .reachability, hints: [.retriable],
      url: -1004, "reachability.connection_refused", .connectionRefused),
    Row(
      .reachability(.networkConnectionLost, ErrorSamples.foreign, ErrorSamples.response(200)), .reachability,
      .reachability, hints: [.retriable, .response], url: -1005, "reachability.connection_lost", .connectionLost),
    Row(
      .trustEvaluationFailed(.pinMismatch(host: "example.com")), .trustEvaluationFailed, .trust, url: -1202,
      "trust.pin_mismatch", .untrusted),
    Row(
      .trustEvaluationFailed(.systemTrustEvaluationFailed(reason: ErrorSamples.foreign)), .trustEvaluationFailed,
      .trust, url: -1202, "trust.system_trust_evaluation_failed", .untrusted),
    Row(.cancelled, .cancelled, .cancellation, hints: [.hidden], url: -999, "cancelled", .cancelled),
    Row(
      .timeout(reason: .requestTimeout, underlying: nil), .timeout, .timeout, hints: [.retriable], url: -1001,
      "timeout.request", .requestTimeout),
    Row(
      .timeout(reason: .resourceTimeout, underlying: nil), .timeout, .timeout, hints: [.retriable], url: -1001,
      "timeout.resource", .resourceTimeout),
    Row(
      .timeout(reason: .connectionTimeout, underlying: ErrorSamples.foreign), .timeout, .timeout, hints: [.retriable],
      url: -1001, "timeout.connection", .connectionTimeout),
  ]

  @Test("each case has its code, category, hints and texts", arguments: rows)
  func views(_ row: Row) {
    let error = row.error
    #expect(error.code == row.code)
    #expect(error.errorCode == row.code.rawValue)
    #expect(error.category == row.category)
    #expect(error.isRetriableHint == row.isRetriable)
    #expect(error.isUserVisible == row.isVisible)
    #expect((error.response != nil) == row.hasResponse)
    #expect(error.urlErrorCode == row.urlErrorCode)
    #expect(error.stableCategory == row.stable)
    #expect(error.isDecodingFailure == (row.category == .decoding))
    #expect(error.isTimeout == (row.category == .timeout))
    #expect(error.isCancellation == (row.category == .cancellation))
    #expect(error.isOffline == (row.urlErrorCode == -1009))
    let status = error.httpStatusCode.map(String.init) ?? ""
    for language in NetworkErrorLanguage.allCases {
      #expect(error.errorDescription(in: language) == row.text.text(in: language, argument: status))
    }
    #expect(error.errorDescription == error.errorDescription(in: .current))
  }

  @Test("the user info has the code, the status and the redacted URL")
  func userInfo() {
    let facts = NetworkError.statusCode(ErrorSamples.response(404)).errorUserInfo
    #expect(facts[NetworkError.errorCodeUserInfoKey] as? Int == 3001)
    #expect(facts[NetworkError.statusCodeUserInfoKey] as? Int == 404)
    #expect(facts[NetworkError.urlUserInfoKey] as? String == "https://api.example.com/users?page=<redacted>")
    let transport = NetworkError(ErrorSamples.transport(.connectionRefused)).errorUserInfo
    #expect(transport[NetworkError.urlUserInfoKey] as? String == "https://api.example.com/users?page=<redacted>")
    #expect(transport[NetworkError.statusCodeUserInfoKey] == nil)
    #expect(NetworkError.cancelled.errorUserInfo.count == 1)
    #expect(NetworkError.errorDomain == "linnet")
  }

  @Test("codes are the published numbers")
  func numbers() {
    #expect(
      NetworkErrorCode.allCases.map(\.rawValue)
        == [1001, 1002, 1003, 2002, 2003, 3001, 3002, 4001, 4002, 4003, 4004, 4005, 5001])
  }

  @Test("an error without its payload has neither bodies, user information nor the decoder's words")
  func payload() throws {
    var request = HTTPRequest.post("https://user:secret@example.com/", body: .text("secret"))
    request.headers.add("X-A", "1")
    let response = ErrorSamples.response(422, body: "secret", request: request)
    let words = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "secret"))
    let errors: [NetworkError] = [
      .statusCode(response), .decoding(words, stage: .responseBody, data: nil, response: response),
      .underlying(ErrorSamples.foreign, response),
      .reachability(.networkConnectionLost, ErrorSamples.foreign, response),
    ]
    for error in errors {
      let redacted = error.redactingFailurePayload()
      #expect(redacted.code == error.code)
      let response = try #require(redacted.response)
      #expect(response.data.isEmpty)
      #expect(response.request?.body == nil)
      #expect(response.request?.url == "https://example.com/")
      #expect(redacted.decodingDetail?.decoderMessage == nil)
    }
    #expect(errors[1].decodingDetail?.decoderMessage == "secret")
    #expect(NetworkError.cancelled.redactingFailurePayload().isCancellation)
  }
}
