import FoundationEssentials
import Linnet
import Testing

@Suite("Request encoding")
struct RequestEncodingPolicyTests {
  private struct Parameters: Encodable, Sendable { var name = "a b" }

  private func encode(
    _ policy: RequestEncodingPolicy, _ value: (any Encodable)?
  ) throws -> (text: String, contentType: String?) {
    switch try policy.encode(value) {
    case .none: ("", nil)
    case .query(let query): ("?" + query, nil)
    case .body(let data, let contentType): (String(decoding: data, as: UTF8.self), contentType)
    }
  }

  @Test("Each policy puts the parameters into their place with their content type")
  func places() throws {
    let parameters = Parameters()
    #expect(try encode(.query(URLQueryEncoder(), rootKey: nil), parameters) == ("?name=a%20b", nil))
    #expect(try encode(.query(URLQueryEncoder(), rootKey: "r"), parameters) == ("?r%5Bname%5D=a%20b", nil))
    #expect(
      try encode(.json(JSONCoding.encoder()), parameters) == (#"{"name":"a b"}"#, "application/json; charset=UTF-8"))
    #expect(
      try encode(.formURLEncoded(URLQueryEncoder(), rootKey: nil), parameters)
        == ("name=a+b", "application/x-www-form-urlencoded; charset=UTF-8"))
    #expect(try encode(.data(contentType: "image/png"), Data("x".utf8)) == ("x", "image/png"))
    #expect(try encode(.text(contentType: "text/csv"), "a,é") == ("a,é", "text/csv"))
  }

  @Test("Erased parameters are seen through")
  func erased() throws {
    #expect(try encode(.data(contentType: "image/png"), AnyEncodable(Data("x".utf8))) == ("x", "image/png"))
    #expect(try encode(.query(URLQueryEncoder(), rootKey: nil), AnyEncodable(Parameters())) == ("?name=a%20b", nil))
  }

  @Test(
    "No parameters are nothing, whatever the policy",
    arguments: [
      RequestEncodingPolicy.none, .query(URLQueryEncoder(), rootKey: nil), .json(JSONEncoder()),
      .formURLEncoded(URLQueryEncoder(), rootKey: nil), .data(contentType: "a/b"), .text(contentType: "a/b"),
    ])
  func nothing(_ policy: RequestEncodingPolicy) throws {
    #expect(try policy.encode(nil) == .none)
    #expect(try policy.encode(EmptyParameter()) == .none)
    #expect(try policy.encode(AnyEncodable(EmptyParameter())) == .none)
  }

  @Test("Parameters that give no pairs add no query")
  func emptyQuery() throws {
    #expect(try RequestEncodingPolicy.query(URLQueryEncoder(), rootKey: nil).encode([String: Int]()) == .none)
  }

  @Test("What a policy cannot encode is an invalid request that says why")
  func refusals() {
    func reason(_ policy: RequestEncodingPolicy, _ value: any Encodable) -> String? {
      do {
        _ = try policy.encode(value)
        return nil
      } catch {
        guard case .configuration(reason: .invalidRequest(let reason)) = error else { return "\(error)" }
        return reason
      }
    }
    let prefix = "the parameters cannot be encoded: "
    #expect(reason(.none, 1) == prefix + "the endpoint's transport policy sends no parameters, but there are some")
    #expect(
      reason(.query(URLQueryEncoder(), rootKey: nil), 1)
        == prefix + "a single value or an array needs a rootKey to be encoded into a query")
    #expect(reason(.data(contentType: "a/b"), "x") == prefix + "the transport policy sends Data, but they are String")
    #expect(reason(.text(contentType: "a/b"), 1) == prefix + "the transport policy sends String, but they are Int")
    #expect(reason(.json(JSONCoding.encoder()), ["v": Double.nan])?.hasPrefix(prefix + "v: ") == true)
  }

  @Test("The content types of bodies")
  func contentTypes() {
    #expect(ContentType.json.rawValue == "application/json; charset=UTF-8")
    #expect(ContentType(rawValue: "application/x-protobuf") == .protobuf)
    #expect(TransportPolicy<Data>.json().requestContentType == nil)
    #expect(TransportPolicy<Data>.json().contentType("a/b").requestContentType == "a/b")
  }
}
