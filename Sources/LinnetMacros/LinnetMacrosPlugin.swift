internal import LinnetMacroExpansion
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The compiler plug-in: a process that answers the compiler's requests on its standard streams with the expansion of
/// LinnetMacroExpansion. It is a target of its own because a plug-in is built for the host, with all that it uses.
@main
struct LinnetMacrosPlugin: PluginProvider {
  static func main() throws {
    try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: LinnetMacrosPlugin()).main()
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard typeName == "APIDefinitionMacro" else { throw UnknownMacro(name: "\(moduleName).\(typeName)") }
    return APIDefinitionMacro.self
  }
}

struct UnknownMacro: Error, CustomStringConvertible {
  let name: String

  var description: String { "The plug-in of Linnet has no macro \(name)." }
}
