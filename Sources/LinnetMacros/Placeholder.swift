internal import SwiftSyntax
internal import LinnetMacroExpansion

@main struct Placeholder {
  static func main() { print(Hello.it("struct B {}")) }
}
