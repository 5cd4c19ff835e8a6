package import SwiftSyntax
package import SwiftSyntaxMacros
internal import SwiftSyntaxBuilder
internal import SwiftDiagnostics

package enum Hello { package static func it(_ x: DeclSyntax) -> DeclSyntax { "struct A { let x: Int }" } }
