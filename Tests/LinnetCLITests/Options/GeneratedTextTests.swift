import LinnetCLI
import LinnetTestSupport
import Testing

/// What is made from the table of options.
@Suite("Completions and manual page", .timeLimit(.minutes(2)))
struct GeneratedTextTests {
  @Test("every completion has every option", arguments: Completions.shells)
  func complete(_ shell: String) {
    let text = Completions.text(for: shell)
    for option in Option.all { #expect(text.contains(shell == "fish" ? "-l \(option.long) " : "--\(option.long)")) }
  }

  @Test("the shells understand their completions")
  func understood() async throws {
    for (shell, check) in [("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish --no-execute")] {
      guard try await CommandRun.shell("command -v \(shell)").status == 0 else { continue }
      let result = try await CommandRun.shell(
        "\"$LINNET\" completions \(shell) > /tmp/$$ && \(check) /tmp/$$; s=$?; rm /tmp/$$; exit $s")
      #expect(result.status == 0, "\(shell): \(result.error)")
    }
  }

  @Test("bash completes an option")
  func bash() async throws {
    let script = """
      bash --norc -c 'eval "$("$LINNET" completions bash)"; COMP_WORDS=(linnet --socks5-h); COMP_CWORD=1; _linnet; echo "${COMPREPLY[@]}"'
      """
    #expect(try await CommandRun.shell(script).output == "--socks5-hostname\n")
  }

  @Test("docs/linnet.1 is the manual page of this version: linnet completions man > docs/linnet.1")
  func manual() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = TemporaryDirectory.contents(of: "\(root)/docs/linnet.1")
    // Not the texts themselves: a failure would print all of them.
    let isCurrent = page == Array(ManualPage.text.utf8)
    #expect(isCurrent)
  }

  @Test("the manual page has every option and exit status")
  func manualIsComplete() {
    let text = ManualPage.text
    for option in Option.all { #expect(text.contains("--\(option.long)".replacing("-", with: "\\-"))) }
    #expect(Set(ManualPage.statuses.map(\.code)) == Set(ExitCode.allCases.map(\.rawValue)))
  }
}
