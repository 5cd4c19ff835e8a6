import LinnetCLI
import LinnetHTTP
import Testing

@Suite("URLs as typed")
struct URLArgumentTests {
  @Test(
    "CLI-07: a URL without a scheme is http",
    arguments: [
      ("localhost:8080/x", "http://localhost:8080/x"), ("example.test", "http://example.test/"),
      (":8080/x", "http://localhost:8080/x"), (":/x?y", "http://localhost/x?y"), ("[::1]:81", "http://[::1]:81/"),
      ("HTTPS://a/", "https://a/"), ("127.0.0.1", "http://127.0.0.1/"), ("a/?u=http://b/", "http://a/?u=http://b/"),
      ("user:pw@a/", "http://user:pw@a/"),
    ])
  func completed(_ typed: String, _ url: String) throws {
    #expect(try URLArgument.parse(Argument(typed)).description == url)
  }

  @Test("bytes that are not UTF-8 reach the server unchanged, percent-encoded")
  func bytes() throws {
    let typed = Argument(Array("http://a/".utf8) + [0xE9, 0x78])
    #expect(try URLArgument.parse(typed).path == "/%E9x")
  }

  @Test(
    "what cannot be connected to is a malformed URL",
    arguments: [
      "http://", "http://[", "http://a:0/", "http://a:70000/", "http://a b/", "/path", "", "http://a/\n",
    ])
  func malformed(_ typed: String) {
    #expect(exitCode(typed) == .malformedURL)
  }

  @Test("another scheme is not supported", arguments: ["ftp://a/", "file:///etc/passwd", "ws://a/", "gopher://a"])
  func otherScheme(_ typed: String) {
    #expect(exitCode(typed) == .unsupportedScheme)
  }

  @Test("the password of a malformed URL is not shown")
  func masked() {
    do throws(CommandError) {
      _ = try URLArgument.parse(Argument("http://me:hunter2@a:99999/"))
      Issue.record("the URL was accepted")
    } catch {
      #expect(!error.message.contains("hunter2"))
    }
  }

  private func exitCode(_ typed: String) -> ExitCode? {
    do throws(CommandError) {
      _ = try URLArgument.parse(Argument(typed))
      return nil
    } catch {
      return error.exitCode
    }
  }
}
