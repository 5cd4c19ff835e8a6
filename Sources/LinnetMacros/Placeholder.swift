internal import LinnetMacroExpansion
internal import SwiftSyntax

@main struct Placeholder {
  static func main() { print(Hello.self) }
}
