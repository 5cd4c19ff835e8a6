// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

// Settings of every Swift target. `LINNET_STRICT=1` (set by CI) turns warnings into errors; a user's build of a
// dependency never fails for a warning of a newer compiler. `LINNET_TSAN=1` swaps the lock for one that
// ThreadSanitizer understands (see Sources/LinnetBytes/Lock.swift).
let environment = Context.environment
var common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableExperimentalFeature("Lifetimes"),
]
if environment["LINNET_STRICT"] == "1" { common.append(.treatAllWarnings(as: .error)) }
if environment["LINNET_TSAN"] == "1" { common.append(.define("LINNET_TSAN")) }
let pure = common + [.strictMemorySafety()]

// The macro is built against the SwiftSyntax modules of the toolchain, so that no package is fetched and a clean build
// takes seconds. `LINNET_SWIFT_HOST_LIBRARIES` names the folder when the `swift` on PATH is not the one that builds.
let hostLibraries: String = {
  if let folder = environment["LINNET_SWIFT_HOST_LIBRARIES"] { return folder }
  for folder in (environment["PATH"] ?? "").split(separator: ":") {
    let swift = URL(fileURLWithPath: String(folder)).appendingPathComponent("swift").resolvingSymlinksInPath()
    let libraries = swift.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "lib/swift/host")
    if FileManager.default.fileExists(atPath: libraries.appendingPathComponent("SwiftSyntax.swiftmodule").path) {
      return libraries.path
    }
  }
  return "/usr/lib/swift/host"
}()
let hostSyntax = SwiftSetting.unsafeFlags(["-I", hostLibraries])
let hostSyntaxLinking = LinkerSetting.unsafeFlags([
  "-L", hostLibraries, "-Xlinker", "-rpath", "-Xlinker", hostLibraries,
])

let package = Package(
  name: "linnet",
  products: [
    .library(name: "Linnet", targets: ["Linnet"]),
    .library(name: "LinnetHTTP", targets: ["LinnetHTTP"]),
    .library(name: "LinnetTestSupport", targets: ["LinnetTestSupport"]),
    .executable(name: "linnet", targets: ["LinnetCLI"]),
  ],
  traits: [
    .default(enabledTraits: ["Macros"]),
    .trait(name: "Macros", description: "The @APIDefinition macro and its compiler plug-in."),
  ],
  targets: [
    // C system libraries: module maps and header-only shims.
    .systemLibrary(name: "CLinnetPOSIX"),
    .systemLibrary(name: "CLinnetOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinnetZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLinnetNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),

    // Pure: no sockets, clocks or files.
    .target(name: "LinnetBytes", swiftSettings: pure),
    .target(name: "LinnetHTTPTypes", dependencies: ["LinnetBytes"], swiftSettings: pure),
    .target(name: "LinnetProtocols", dependencies: ["LinnetBytes", "LinnetHTTPTypes"], swiftSettings: pure),
    .target(name: "LinnetPolicies", dependencies: ["LinnetBytes", "LinnetHTTPTypes"], swiftSettings: pure),
    .target(name: "LinnetCompression", dependencies: ["LinnetBytes", "CLinnetZlib"], swiftSettings: pure),
    .target(name: "LinnetTLS", dependencies: ["LinnetBytes", "CLinnetOpenSSL"], swiftSettings: pure),
    .target(
      name: "LinnetHTTP2", dependencies: ["LinnetBytes", "LinnetHTTPTypes", "CLinnetNGHTTP2"], swiftSettings: pure),

    // Effects.
    .target(
      name: "LinnetIO", dependencies: ["LinnetBytes", "LinnetProtocols", "CLinnetPOSIX"], swiftSettings: pure),

    // The raw client.
    .target(
      name: "LinnetHTTP",
      dependencies: [
        "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols", "LinnetHTTP2", "LinnetCompression", "LinnetTLS",
        "LinnetIO",
      ], swiftSettings: common),

    // The typed client, and the compiler plug-in behind the trait `Macros`.
    // The plug-in is a shell around the expansion, because tests that depend on a plug-in would be built for the host.
    .target(name: "LinnetMacroExpansion", swiftSettings: common + [hostSyntax]),
    .macro(
      name: "LinnetMacros", dependencies: ["LinnetMacroExpansion"], swiftSettings: common + [hostSyntax],
      linkerSettings: [hostSyntaxLinking]),
    .target(
      name: "Linnet",
      dependencies: [
        "LinnetHTTP", "LinnetBytes", "LinnetPolicies", "LinnetProtocols", "LinnetTLS",
        .target(name: "LinnetMacros", condition: .when(traits: ["Macros"])),
      ], swiftSettings: common),

    // Test kit, command, executables for suites and benchmarks.
    .target(
      name: "LinnetTestSupport",
      dependencies: [
        "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols", "LinnetHTTP2", "LinnetCompression", "LinnetTLS",
        "LinnetIO", "LinnetHTTP", "Linnet",
      ], swiftSettings: common),
    .executableTarget(
      name: "LinnetCLI", dependencies: ["LinnetHTTP", "Linnet", "LinnetTestSupport"], swiftSettings: common),
    .executableTarget(
      name: "LinnetConformanceAdapter", dependencies: ["LinnetHTTP"], swiftSettings: common),
    .target(name: "CLinnetAllocationCounter", path: "Benchmarks/CLinnetAllocationCounter"),
    .executableTarget(
      name: "LinnetBenchmarks", dependencies: ["LinnetHTTP", "Linnet", "CLinnetAllocationCounter"],
      path: "Benchmarks/LinnetBenchmarks", swiftSettings: common),

    // Tests mirror Sources. What they share and the product does not need:
    .target(name: "LinnetTestRandom", path: "Tests/LinnetTestRandom", swiftSettings: pure),
    .testTarget(name: "LinnetBytesTests", dependencies: ["LinnetTestRandom", "LinnetBytes"], swiftSettings: common),
    .testTarget(
      name: "LinnetHTTPTypesTests", dependencies: ["LinnetTestRandom", "LinnetHTTPTypes", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetProtocolsTests",
      dependencies: ["LinnetTestRandom", "LinnetProtocols", "LinnetHTTPTypes", "LinnetBytes", "LinnetTLS"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetPoliciesTests",
      dependencies: ["LinnetTestRandom", "LinnetPolicies", "LinnetHTTPTypes", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetCompressionTests", dependencies: ["LinnetTestRandom", "LinnetCompression", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetHTTP2Tests", dependencies: ["LinnetTestRandom", "LinnetHTTP2", "LinnetHTTPTypes", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetTLSTests", dependencies: ["LinnetTestRandom", "LinnetTLS", "LinnetBytes"], swiftSettings: common),
    .testTarget(
      name: "LinnetIOTests", dependencies: ["LinnetIO", "LinnetProtocols", "LinnetBytes", "LinnetTestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetTestSupportTests",
      dependencies: [
        "LinnetTestRandom", "LinnetTestSupport", "Linnet", "LinnetHTTP", "LinnetIO", "LinnetBytes", "LinnetTLS",
        "LinnetHTTP2",
        "LinnetHTTPTypes",
      ],
      swiftSettings: common),
    .testTarget(
      name: "LinnetHTTPTests",
      dependencies: [
        "LinnetTestRandom", "LinnetHTTP", "LinnetTestSupport", "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols",
        "LinnetTLS", "LinnetIO",
      ], swiftSettings: common),
    .testTarget(
      name: "LinnetTests",
      dependencies: [
        "LinnetTestRandom", "Linnet", "LinnetHTTP", "LinnetTestSupport", "LinnetBytes", "LinnetPolicies",
        "LinnetProtocols", "LinnetTLS",
      ],
      swiftSettings: common),
    .testTarget(
      name: "LinnetMacroExpansionTests", dependencies: ["LinnetTestRandom", "LinnetMacroExpansion"],
      swiftSettings: common + [hostSyntax],
      linkerSettings: [hostSyntaxLinking]),
    // The examples of the documents that people come from, and ours beside them; an application's settings.
    .testTarget(
      name: "LinnetExamplesTests", dependencies: ["Linnet", "LinnetHTTP", "LinnetTestSupport"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "LinnetIntegrationTests",
      dependencies: ["LinnetHTTP", "LinnetTestSupport", "LinnetTLS", "LinnetIO", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetCLITests",
      dependencies: ["LinnetTestRandom", "LinnetCLI", "LinnetTestSupport", "LinnetHTTP", "LinnetIO", "LinnetBytes"],
      swiftSettings: common),
  ]
)

// `LINNET_ONLY_TESTS="LinnetHTTP2Tests LinnetBytesTests"` leaves the other test targets out: a change in one of the pure
// modules is tested in seconds.
if let only = environment["LINNET_ONLY_TESTS"] {
  let names = Set(only.split(separator: " ").map(String.init))
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
