import LinnetHTTP

/// The smallest program that uses the client: `.ci/linkage` runs it and looks at what it links. Nobody listens on the
/// port, so the request fails after it went through the whole of the client.
@main
struct Fixture {
  static func main() async {
    do throws(TransportError) {
      let response = try await HTTPClient().send(.get("http://127.0.0.1:1/"))
      print("answered: \(response.status)")
    } catch {
      print("ran: \(error)")
    }
  }
}
