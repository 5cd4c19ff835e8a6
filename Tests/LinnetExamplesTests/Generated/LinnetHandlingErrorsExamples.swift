// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/HandlingErrors.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum LinnetHandlingErrorsExamples {
  struct User: Decodable, Sendable {
    let id: Int
    let name: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
    typealias APIResponse = User

    let id: Int
  }

  static func user(_ id: Int, from client: DefaultNetworkClient) async throws(NetworkError) -> User? {
    do {
      return try await client.request(GetUser(id: id))
    } catch {
      if error.httpStatusCode == 404 { return nil }
      throw error
    }
  }

  static func example1(client: DefaultNetworkClient) async throws {
    do {
      let user = try await client.request(GetUser(id: 42))
      print(user)
    } catch {
      switch error {
      case .statusCode(let response): print("the server answered \(response.statusCode)")
      case .decoding(_, let underlying, _): print(underlying.decoding?.path ?? "?", underlying.message)
      case .reachability(let reason, _, _): print("not reachable: \(reason)")
      case .timeout(let reason, _): print("too slow: \(reason)")
      case .trustEvaluationFailed(let reason): print("not trusted: \(reason)")
      case .configuration(let reason): print("not sent: \(reason)")
      case .cancelled: break
      case .underlying(let underlying, _): print(underlying)
      }
    }
  }

  static func example2(client: DefaultNetworkClient) async throws {
    Task {
      do throws(NetworkError) {
        _ = try await client.request(GetUser(id: 42))
      } catch {
        print(error.errorCode)  // the stable number; error.code has its name
      }
    }
  }

  static func example3(error: NetworkError) async throws {
    print(error.code, error.category)  // stable numbers and names, for metrics
    print(error.httpStatusCode ?? 0, error.isRetriableHint, error.isUserVisible)
    print(error.serverMessage ?? "-")  // "error", "message" or "detail" of the server's JSON
    print(error.decodingDetail?.path ?? "-")  // items[2].name
    if let transport = error.transport {
      print(transport.phase, transport.peers, transport.attempts, transport.elapsed, transport.sent)
    }
  }
}
