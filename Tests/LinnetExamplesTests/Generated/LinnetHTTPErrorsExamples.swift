// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/Errors.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPErrorsExamples {
  static func example1(client: HTTPClient) async throws {
    do {
      let response = try await client.send(.get("https://api.example.com/items"))
      print(try await response.text())
    } catch {
      print(error)  // GET https://api.example.com/items: connect: connection refused (192.0.2.1:443) [attempt 1, 3 ms]
      print(error.code, error.phase, error.sent)
    }
  }

  static func example2(client: HTTPClient) async throws {
    Task {
      do throws(TransportError) {
        _ = try await client.send(.get("https://api.example.com/items"))
      } catch {
        print(error.code)
      }
    }
  }

  static func example3(client: HTTPClient, order: HTTPRequest) async throws {
    do {
      _ = try await client.send(order)
    } catch {
      guard error.sent == .nothing, error.code != .cancelled else { throw error }
      _ = try await client.send(order)
    }
  }

  static func example4(client: HTTPClient, request: HTTPRequest) async throws {
    do {
      _ = try await client.send(request)
    } catch {
      switch error.code {
      case .hostNotFound, .connectionRefused: print("is the server running?")
      case .certificateRejected: print("not trusted: \(error.reason)")
      case let code where code.isTimeout: print("too slow while in \(error.phase)")
      case .cancelled: break
      default: print(error)
      }
    }
  }
}
