// swift-format-ignore-file
// The examples of the page for cancellation by tag and for errors, as they stand.
import Foundation
import Linnet

enum Feed {
  struct Item: Decodable, Sendable {
    let title: String
  }

  @APIDefinition(method: .get, path: "/posts", auth: .anonymous)
  struct GetPosts {
    typealias APIResponse = [Item]
  }

  @APIDefinition(method: .get, path: "/banner", auth: .anonymous)
  struct GetBanner {
    typealias APIResponse = Item
  }

  /// - Parameter inFlight: Returns when both requests are on their way, which the page leaves to chance.
  static func leave(
    client: DefaultNetworkClient, inFlight: () async throws -> Void
  ) async throws -> [Result<Void, any Error>] {
    let feed: CancellationTag = "feed"

    async let posts = client.request(GetPosts(), tag: feed)
    async let banner = client.request(GetBanner(), tag: feed)

    try await inFlight()
    // User leaves the feed screen — only feed-tagged requests stop:
    await client.cancelAll(matching: feed)

    var outcomes: [Result<Void, any Error>] = []
    do { outcomes.append(.success(_ = try await posts)) } catch { outcomes.append(.failure(error)) }
    do { outcomes.append(.success(_ = try await banner)) } catch { outcomes.append(.failure(error)) }
    return outcomes
  }
}

enum ErrorHandling {
  typealias GetUser = QuickStart.GetUser

  /// - Parameter print: Collects what the page prints.
  static func request(client: DefaultNetworkClient, print: (Any) -> Void) async {
    do {
        let user = try await client.request(GetUser(id: 42))
        print(user)
    } catch {
        switch error {
        case .configuration(reason: .invalidBaseURL(let url)):
            print("Invalid base URL: \(url)")
        case .configuration(reason: .invalidRequest(let message)):
            print("Invalid request configuration: \(message)")
        case .configuration(reason: .offline(let message)):
            print("Offline: \(message)")
        case .statusCode(let response):
            print("Unexpected status code: \(response.statusCode)")
        case .decoding(let stage, let underlying, _):
            print("Decoding failed (\(stage)): \(underlying)")
        case .trustEvaluationFailed(let reason):
            print("Trust evaluation failed: \(reason)")
        case .cancelled:
            print("Request cancelled")
        default:
            print(error)
        }
    }
  }
}
