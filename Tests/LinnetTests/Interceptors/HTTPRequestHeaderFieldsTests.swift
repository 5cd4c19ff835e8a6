import Linnet
import LinnetHTTP
import Testing

@Suite struct HTTPRequestHeaderFieldsTests {
  @Test func `a field is set, read without case, and removed`() {
    var request = HTTPRequest.get("https://api.example.com/")
    request.setValue("a", forHTTPHeaderField: "X-Tenant")
    request.setValue("b", forHTTPHeaderField: "x-tenant")
    #expect(request.value(forHTTPHeaderField: "X-TENANT") == "b" && request.headers.count == 1)
    request.setValue(nil, forHTTPHeaderField: "X-Tenant")
    #expect(request.value(forHTTPHeaderField: "X-Tenant") == nil && request.headers.isEmpty)
  }

  @Test func `an added field keeps the one that is there`() {
    var request = HTTPRequest.get("https://api.example.com/")
    request.addValue("text/html", forHTTPHeaderField: "Accept")
    request.addValue("text/plain", forHTTPHeaderField: "Accept")
    #expect(request.value(forHTTPHeaderField: "accept") == "text/html, text/plain")
    #expect(request.headers.values(for: "Accept").count == 2)
  }

  @Test func `the method has URLRequest's spelling`() {
    #expect(HTTPRequest.post("https://api.example.com/").httpMethod == "POST")
  }
}
