public import LinnetHTTP

/// Tells the server which application on which platform asks. A header that the request has already is kept, unless it
/// still has the library's own value, as `User-Agent` has by default.
///
/// It sends `User-Agent` (`version platform device`), `X-App-Version`, `X-Platform` and `X-Device-Model`, and the extra
/// headers.
public struct HeadersInterceptor: RequestInterceptor {
  private let headers: HTTPHeaders

  /// An interceptor.
  ///
  /// - Parameters:
  ///   - appVersion: The application's version, such as `2.4.1`.
  ///   - platform: The platform. Default: the kernel's name, `Linux`.
  ///   - deviceModel: The device. Default: the processor's architecture, such as `x86_64`, which is all that a server
  ///     program can tell without reading the machine's files.
  ///   - extraHeaders: Further headers. Default none.
  public init(
    appVersion: String, platform: String = HeadersInterceptor.platform,
    deviceModel: String = HeadersInterceptor.architecture, extraHeaders: HTTPHeaders = HTTPHeaders()
  ) {
    var headers = HTTPHeaders()
    headers.add("User-Agent", "\(appVersion) \(platform) \(deviceModel)")
    headers.add("X-App-Version", appVersion)
    headers.add("X-Platform", platform)
    headers.add("X-Device-Model", deviceModel)
    headers.add(contentsOf: extraHeaders)
    self.headers = headers
  }

  /// Adds the headers.
  public func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
    var request = request
    // Compared with what was there before, so that a repeated extra header stays repeated.
    let present = request.headers
    for header in headers {
      if let value = present.value(for: header.name) {
        if LibraryHeaders.contains(HTTPHeader(header.name, value)) { request.headers.update(header) }
      } else {
        request.headers.add(header)
      }
    }
    return request
  }

  /// The kernel's name as `uname` has it: `Linux`.
  public static var platform: String {
    #if os(Linux)
      "Linux"
    #else
      "unknown"
    #endif
  }

  /// The processor's architecture as `uname` has it, such as `x86_64` or `aarch64`.
  public static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #elseif arch(riscv64)
      "riscv64"
    #else
      "unknown"
    #endif
  }
}
