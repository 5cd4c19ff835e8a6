import SwiftSyntaxBuilder
import Testing
import LinnetMacroExpansion
import SwiftSyntax
@Test func x() { #expect("\(Hello.it("struct B {}"))".contains("A")) }
