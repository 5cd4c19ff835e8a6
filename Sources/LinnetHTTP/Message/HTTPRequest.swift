public import LinnetHTTPTypes

/// A request for the raw client.
///
/// ```swift
/// var request = HTTPRequest.post("https://api.example.com/items", body: .text(#"{"name":"a"}"#))
/// try request.headers.add(name: "Content-Type", value: "application/json")
/// let response = try await client.send(request)
/// ```
public struct HTTPRequest: Sendable {
  /// The method. Default GET.
  public var method: HTTPMethod
  /// The URL as it was given: text, or already parsed.
  var location: Location
  /// The headers, sent in this order after the client's default headers. `Host`, `Content-Length` and
  /// `Transfer-Encoding` are made from the URL and the body; a `Host` given here replaces the one made.
  public var headers: HTTPHeaders
  /// The body. Default none.
  public var body: HTTPRequestBody?
  /// Deviations from the client's configuration.
  public var options: HTTPRequestOptions

  enum Location: Sendable {
    case text(String)
    case parsed(HTTPURL)
  }

  /// A request to a URL given as text, which is parsed when the request is sent; a text that is no URL is an
  /// `invalidURL` error then, and one of another scheme than http and https `unsupportedScheme`.
  public init(
    method: HTTPMethod = .get, url: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil,
    options: HTTPRequestOptions = HTTPRequestOptions()
  ) {
    self.method = method
    location = .text(url)
    self.headers = headers
    self.body = body
    self.options = options
  }

  /// A request to a parsed URL.
  public init(
    method: HTTPMethod = .get, url: HTTPURL, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil,
    options: HTTPRequestOptions = HTTPRequestOptions()
  ) {
    self.method = method
    location = .parsed(url)
    self.headers = headers
    self.body = body
    self.options = options
  }

  /// The URL's text. A user name and password in it are sent as Basic credentials, in a header and not in the target,
  /// unless ``HTTPRequestOptions/credentials`` or an `Authorization` header say otherwise; they stay with the URL's origin.
  public var url: String {
    get {
      switch location {
      case .text(let text): text
      case .parsed(let url): url.description
      }
    }
    set { location = .text(newValue) }
  }

  /// The URL, parsed; the value itself when the request was made with a parsed one.
  ///
  /// - Throws: `HTTPURLError` when the text is no URL.
  public func parsedURL() throws(HTTPURLError) -> HTTPURL {
    switch location {
    case .text(let text): try HTTPURL(text)
    case .parsed(let url): url
    }
  }

  /// Whether ``url`` is the text of `other`. Nothing is made when both are parsed.
  package func goes(to other: HTTPURL) -> Bool {
    switch location {
    case .text(let text): text == other.description
    case .parsed(let url): url == other
    }
  }

  /// A GET request.
  public static func get(_ url: String, headers: HTTPHeaders = HTTPHeaders()) -> HTTPRequest {
    HTTPRequest(method: .get, url: url, headers: headers)
  }

  /// A HEAD request.
  public static func head(_ url: String, headers: HTTPHeaders = HTTPHeaders()) -> HTTPRequest {
    HTTPRequest(method: .head, url: url, headers: headers)
  }

  /// A POST request.
  public static func post(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil
  ) -> HTTPRequest {
    HTTPRequest(method: .post, url: url, headers: headers, body: body)
  }

  /// A PUT request.
  public static func put(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil
  ) -> HTTPRequest {
    HTTPRequest(method: .put, url: url, headers: headers, body: body)
  }

  /// A PATCH request.
  public static func patch(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil
  ) -> HTTPRequest {
    HTTPRequest(method: .patch, url: url, headers: headers, body: body)
  }

  /// A DELETE request.
  public static func delete(
    _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: HTTPRequestBody? = nil
  ) -> HTTPRequest {
    HTTPRequest(method: .delete, url: url, headers: headers, body: body)
  }
}
