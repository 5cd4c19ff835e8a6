/// The sentences that users read, in every language. A new key or language does not compile until each text is there.
package enum NetworkErrorText: String, CaseIterable, Sendable {
  case invalidBaseURL
  case invalidRequest
  case offline
  case statusCode
  case unauthorized
  case forbidden
  case notFound
  case tooManyRequests
  case serverFailure
  case responseUnreadable
  case streamUnreadable
  case streamFrameTooLarge
  case transport
  case notHTTP
  case bodyTooLarge
  case notConnected
  case nameLookupFailed
  case hostNotFound
  case connectionRefused
  case connectionLost
  case untrusted
  case cancelled
  case requestTimeout
  case resourceTimeout
  case connectionTimeout

  /// What stands for the argument in a text.
  package static let placeholder = "{0}"

  /// The text in a language, with the argument in its place.
  package func text(in language: NetworkErrorLanguage, argument: String = "") -> String {
    let parts = template(in: language).split(separator: Self.placeholder, omittingEmptySubsequences: false)
    return parts.joined(separator: argument)
  }

  /// The text with its placeholder.
  package func template(in language: NetworkErrorLanguage) -> String {
    switch language {
    case .english: english
    case .korean: korean
    }
  }

  private var english: String {
    switch self {
    case .invalidBaseURL: "The server's address is not valid."
    case .invalidRequest: "The request is not valid."
    case .offline, .notConnected: "There is no network connection."
    case .statusCode: "The server answered with status {0}."
    case .unauthorized: "Please sign in and try again (status {0})."
    case .forbidden: "The server does not allow this (status {0})."
    case .notFound: "The server does not have what was asked for (status {0})."
    case .tooManyRequests: "Too many requests; please try again later (status {0})."
    case .serverFailure: "The server has a problem; please try again later (status {0})."
    case .responseUnreadable: "The server's answer could not be read."
    case .streamUnreadable: "A message of the stream could not be read."
    case .streamFrameTooLarge: "A message of the stream is too large."
    case .transport: "The request failed."
    case .notHTTP: "The server's answer is not valid HTTP."
    case .bodyTooLarge: "The server's answer is too large."
    case .nameLookupFailed: "The server's name could not be looked up."
    case .hostNotFound: "The server could not be found."
    case .connectionRefused: "The server refused the connection."
    case .connectionLost: "The connection was lost."
    case .untrusted: "The identity of the server could not be verified."
    case .cancelled: "The request was cancelled."
    case .requestTimeout: "The server did not answer in time."
    case .resourceTimeout: "The request took too long."
    case .connectionTimeout: "The connection could not be made in time."
    }
  }

  private var korean: String {
    switch self {
    case .invalidBaseURL: "서버 주소가 올바르지 않습니다."
    case .invalidRequest: "요청이 올바르지 않습니다."
    case .offline, .notConnected: "네트워크에 연결되어 있지 않습니다."
    case .statusCode: "서버가 상태 코드 {0}(으)로 응답했습니다."
    case .unauthorized: "로그인한 후 다시 시도해 주세요 (상태 코드 {0})."
    case .forbidden: "서버가 이 작업을 허용하지 않습니다 (상태 코드 {0})."
    case .notFound: "서버에서 요청한 항목을 찾을 수 없습니다 (상태 코드 {0})."
    case .tooManyRequests: "요청이 너무 많습니다. 잠시 후 다시 시도해 주세요 (상태 코드 {0})."
    case .serverFailure: "서버에 문제가 발생했습니다. 잠시 후 다시 시도해 주세요 (상태 코드 {0})."
    case .responseUnreadable: "서버의 응답을 해석할 수 없습니다."
    case .streamUnreadable: "스트림 메시지를 해석할 수 없습니다."
    case .streamFrameTooLarge: "스트림 메시지가 너무 큽니다."
    case .transport: "요청을 처리하지 못했습니다."
    case .notHTTP: "서버의 응답이 올바른 HTTP 형식이 아닙니다."
    case .bodyTooLarge: "서버의 응답이 너무 큽니다."
    case .nameLookupFailed: "서버 이름을 조회하지 못했습니다."
    case .hostNotFound: "서버를 찾을 수 없습니다."
    case .connectionRefused: "서버가 연결을 거부했습니다."
    case .connectionLost: "연결이 끊어졌습니다."
    case .untrusted: "서버의 신원을 확인할 수 없습니다."
    case .cancelled: "요청이 취소되었습니다."
    case .requestTimeout: "서버가 제시간에 응답하지 않았습니다."
    case .resourceTimeout: "요청 시간이 너무 오래 걸렸습니다."
    case .connectionTimeout: "제시간에 연결하지 못했습니다."
    }
  }
}
