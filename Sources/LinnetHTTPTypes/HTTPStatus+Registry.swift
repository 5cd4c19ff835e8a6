/// The statuses of the IANA "HTTP Status Code Registry" and their reason phrases.
extension HTTPStatus {
  /// 100 Continue: The client may send the body it held back (RFC 9110 §15.2.1).
  public static var `continue`: HTTPStatus { HTTPStatus(registered: 100) }
  /// 101 Switching Protocols: The connection now speaks the protocol of `Upgrade` (RFC 9110 §15.2.2).
  public static var switchingProtocols: HTTPStatus { HTTPStatus(registered: 101) }
  /// 102 Processing: The server works on it (RFC 2518; deprecated).
  public static var processing: HTTPStatus { HTTPStatus(registered: 102) }
  /// 103 Early Hints: Fields that the final response will likely have (RFC 8297).
  public static var earlyHints: HTTPStatus { HTTPStatus(registered: 103) }
  /// 104 Upload Resumption Supported: The upload may be resumed (temporary registration).
  public static var uploadResumptionSupported: HTTPStatus { HTTPStatus(registered: 104) }
  /// 200 OK: The request succeeded (RFC 9110 §15.3.1).
  public static var ok: HTTPStatus { HTTPStatus(registered: 200) }
  /// 201 Created: A resource was made (RFC 9110 §15.3.2).
  public static var created: HTTPStatus { HTTPStatus(registered: 201) }
  /// 202 Accepted: Accepted, not yet acted on (RFC 9110 §15.3.3).
  public static var accepted: HTTPStatus { HTTPStatus(registered: 202) }
  /// 203 Non-Authoritative Information: A proxy changed the content (RFC 9110 §15.3.4).
  public static var nonAuthoritativeInformation: HTTPStatus { HTTPStatus(registered: 203) }
  /// 204 No Content: Succeeded, and there is no content (RFC 9110 §15.3.5).
  public static var noContent: HTTPStatus { HTTPStatus(registered: 204) }
  /// 205 Reset Content: Succeeded; the view should be reset (RFC 9110 §15.3.6).
  public static var resetContent: HTTPStatus { HTTPStatus(registered: 205) }
  /// 206 Partial Content: The ranges that were asked for (RFC 9110 §15.3.7).
  public static var partialContent: HTTPStatus { HTTPStatus(registered: 206) }
  /// 207 Multi-Status: Several statuses in the content (RFC 4918 §11.1).
  public static var multiStatus: HTTPStatus { HTTPStatus(registered: 207) }
  /// 208 Already Reported: Members already listed (RFC 5842 §7.1).
  public static var alreadyReported: HTTPStatus { HTTPStatus(registered: 208) }
  /// 226 IM Used: The result of instance manipulations (RFC 3229 §10.4.1).
  public static var imUsed: HTTPStatus { HTTPStatus(registered: 226) }
  /// 300 Multiple Choices: Several representations to choose from (RFC 9110 §15.4.1).
  public static var multipleChoices: HTTPStatus { HTTPStatus(registered: 300) }
  /// 301 Moved Permanently: The target has a new permanent URL (RFC 9110 §15.4.2).
  public static var movedPermanently: HTTPStatus { HTTPStatus(registered: 301) }
  /// 302 Found: The target is elsewhere for now (RFC 9110 §15.4.3).
  public static var found: HTTPStatus { HTTPStatus(registered: 302) }
  /// 303 See Other: Fetch another resource with GET (RFC 9110 §15.4.4).
  public static var seeOther: HTTPStatus { HTTPStatus(registered: 303) }
  /// 304 Not Modified: The stored response is still good (RFC 9110 §15.4.5).
  public static var notModified: HTTPStatus { HTTPStatus(registered: 304) }
  /// 305 Use Proxy: Deprecated (RFC 9110 §15.4.6).
  public static var useProxy: HTTPStatus { HTTPStatus(registered: 305) }
  /// 307 Temporary Redirect: Repeat the same request elsewhere (RFC 9110 §15.4.8).
  public static var temporaryRedirect: HTTPStatus { HTTPStatus(registered: 307) }
  /// 308 Permanent Redirect: Repeat the same request elsewhere, from now on (RFC 9110 §15.4.9).
  public static var permanentRedirect: HTTPStatus { HTTPStatus(registered: 308) }
  /// 400 Bad Request: The request is malformed (RFC 9110 §15.5.1).
  public static var badRequest: HTTPStatus { HTTPStatus(registered: 400) }
  /// 401 Unauthorized: Credentials are missing or wrong (RFC 9110 §15.5.2).
  public static var unauthorized: HTTPStatus { HTTPStatus(registered: 401) }
  /// 402 Payment Required: Reserved (RFC 9110 §15.5.3).
  public static var paymentRequired: HTTPStatus { HTTPStatus(registered: 402) }
  /// 403 Forbidden: Understood and refused (RFC 9110 §15.5.4).
  public static var forbidden: HTTPStatus { HTTPStatus(registered: 403) }
  /// 404 Not Found: There is no such resource (RFC 9110 §15.5.5).
  public static var notFound: HTTPStatus { HTTPStatus(registered: 404) }
  /// 405 Method Not Allowed: The resource does not support the method (RFC 9110 §15.5.6).
  public static var methodNotAllowed: HTTPStatus { HTTPStatus(registered: 405) }
  /// 406 Not Acceptable: No representation fits the request (RFC 9110 §15.5.7).
  public static var notAcceptable: HTTPStatus { HTTPStatus(registered: 406) }
  /// 407 Proxy Authentication Required: The proxy wants credentials (RFC 9110 §15.5.8).
  public static var proxyAuthenticationRequired: HTTPStatus { HTTPStatus(registered: 407) }
  /// 408 Request Timeout: The request did not arrive in time (RFC 9110 §15.5.9).
  public static var requestTimeout: HTTPStatus { HTTPStatus(registered: 408) }
  /// 409 Conflict: The state of the resource forbids it (RFC 9110 §15.5.10).
  public static var conflict: HTTPStatus { HTTPStatus(registered: 409) }
  /// 410 Gone: The resource is gone for good (RFC 9110 §15.5.11).
  public static var gone: HTTPStatus { HTTPStatus(registered: 410) }
  /// 411 Length Required: `Content-Length` is missing (RFC 9110 §15.5.12).
  public static var lengthRequired: HTTPStatus { HTTPStatus(registered: 411) }
  /// 412 Precondition Failed: A condition of the request is false (RFC 9110 §15.5.13).
  public static var preconditionFailed: HTTPStatus { HTTPStatus(registered: 412) }
  /// 413 Content Too Large: The content is too large (RFC 9110 §15.5.14).
  public static var contentTooLarge: HTTPStatus { HTTPStatus(registered: 413) }
  /// 414 URI Too Long: The target is too long (RFC 9110 §15.5.15).
  public static var uriTooLong: HTTPStatus { HTTPStatus(registered: 414) }
  /// 415 Unsupported Media Type: The format of the content is not supported (RFC 9110 §15.5.16).
  public static var unsupportedMediaType: HTTPStatus { HTTPStatus(registered: 415) }
  /// 416 Range Not Satisfiable: The ranges lie outside the content (RFC 9110 §15.5.17).
  public static var rangeNotSatisfiable: HTTPStatus { HTTPStatus(registered: 416) }
  /// 417 Expectation Failed: `Expect` cannot be met (RFC 9110 §15.5.18).
  public static var expectationFailed: HTTPStatus { HTTPStatus(registered: 417) }
  /// 421 Misdirected Request: This server does not answer for the origin (RFC 9110 §15.5.20).
  public static var misdirectedRequest: HTTPStatus { HTTPStatus(registered: 421) }
  /// 422 Unprocessable Content: Well-formed, but not usable (RFC 9110 §15.5.21).
  public static var unprocessableContent: HTTPStatus { HTTPStatus(registered: 422) }
  /// 423 Locked: The resource is locked (RFC 4918 §11.3).
  public static var locked: HTTPStatus { HTTPStatus(registered: 423) }
  /// 424 Failed Dependency: Another action failed (RFC 4918 §11.4).
  public static var failedDependency: HTTPStatus { HTTPStatus(registered: 424) }
  /// 425 Too Early: The server does not risk replayed early data (RFC 8470 §5.2).
  public static var tooEarly: HTTPStatus { HTTPStatus(registered: 425) }
  /// 426 Upgrade Required: Another protocol is needed (RFC 9110 §15.5.22).
  public static var upgradeRequired: HTTPStatus { HTTPStatus(registered: 426) }
  /// 428 Precondition Required: The request must be conditional (RFC 6585 §3).
  public static var preconditionRequired: HTTPStatus { HTTPStatus(registered: 428) }
  /// 429 Too Many Requests: The client sends too many requests (RFC 6585 §4).
  public static var tooManyRequests: HTTPStatus { HTTPStatus(registered: 429) }
  /// 431 Request Header Fields Too Large: The fields are too large (RFC 6585 §5).
  public static var requestHeaderFieldsTooLarge: HTTPStatus { HTTPStatus(registered: 431) }
  /// 451 Unavailable For Legal Reasons: Denied by legal demand (RFC 7725 §3).
  public static var unavailableForLegalReasons: HTTPStatus { HTTPStatus(registered: 451) }
  /// 500 Internal Server Error: The server failed (RFC 9110 §15.6.1).
  public static var internalServerError: HTTPStatus { HTTPStatus(registered: 500) }
  /// 501 Not Implemented: The server does not know the method (RFC 9110 §15.6.2).
  public static var notImplemented: HTTPStatus { HTTPStatus(registered: 501) }
  /// 502 Bad Gateway: A gateway got an invalid response (RFC 9110 §15.6.3).
  public static var badGateway: HTTPStatus { HTTPStatus(registered: 502) }
  /// 503 Service Unavailable: Overloaded or in maintenance (RFC 9110 §15.6.4).
  public static var serviceUnavailable: HTTPStatus { HTTPStatus(registered: 503) }
  /// 504 Gateway Timeout: A gateway got no response in time (RFC 9110 §15.6.5).
  public static var gatewayTimeout: HTTPStatus { HTTPStatus(registered: 504) }
  /// 505 HTTP Version Not Supported: The version is not supported (RFC 9110 §15.6.6).
  public static var httpVersionNotSupported: HTTPStatus { HTTPStatus(registered: 505) }
  /// 506 Variant Also Negotiates: A loop in content negotiation (RFC 2295 §8.1).
  public static var variantAlsoNegotiates: HTTPStatus { HTTPStatus(registered: 506) }
  /// 507 Insufficient Storage: The server has no room (RFC 4918 §11.5).
  public static var insufficientStorage: HTTPStatus { HTTPStatus(registered: 507) }
  /// 508 Loop Detected: An endless loop (RFC 5842 §7.2).
  public static var loopDetected: HTTPStatus { HTTPStatus(registered: 508) }
  /// 510 Not Extended: Obsoleted (RFC 2774 §7).
  public static var notExtended: HTTPStatus { HTTPStatus(registered: 510) }
  /// 511 Network Authentication Required: A captive portal wants a login (RFC 6585 §6).
  public static var networkAuthenticationRequired: HTTPStatus { HTTPStatus(registered: 511) }
}

extension HTTPStatus {
  /// The registered reason phrase, or an empty string for a code that is not registered.
  public var reasonPhrase: String {
    switch code {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 102: "Processing"
    case 103: "Early Hints"
    case 104: "Upload Resumption Supported"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 203: "Non-Authoritative Information"
    case 204: "No Content"
    case 205: "Reset Content"
    case 206: "Partial Content"
    case 207: "Multi-Status"
    case 208: "Already Reported"
    case 226: "IM Used"
    case 300: "Multiple Choices"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 305: "Use Proxy"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 402: "Payment Required"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 423: "Locked"
    case 424: "Failed Dependency"
    case 425: "Too Early"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 451: "Unavailable For Legal Reasons"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 506: "Variant Also Negotiates"
    case 507: "Insufficient Storage"
    case 508: "Loop Detected"
    case 510: "Not Extended"
    case 511: "Network Authentication Required"
    default: ""
    }
  }
}
