// swift-tools-version: 6.2
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

let package = Package(
  name: "linnet",
  products: [
    .library(name: "LinnetHTTP", targets: ["LinnetHTTP"]),
    .library(name: "LinnetTestSupport", targets: ["LinnetTestSupport"]),
    .executable(name: "linnet", targets: ["LinnetCLI"]),
  ],
  targets: [
    // C system libraries: module maps and header-only shims.
    .systemLibrary(name: "CLinnetPOSIX"),
    .systemLibrary(name: "CLinnetOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinnetZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Pure: no sockets, clocks or files.
    .target(name: "LinnetBytes", swiftSettings: pure),
    .target(name: "LinnetHTTPTypes", dependencies: ["LinnetBytes"], swiftSettings: pure),
    .target(name: "LinnetProtocols", dependencies: ["LinnetBytes", "LinnetHTTPTypes"], swiftSettings: pure),
    .target(name: "LinnetCompression", dependencies: ["LinnetBytes", "CLinnetZlib"], swiftSettings: pure),
    .target(name: "LinnetTLS", dependencies: ["LinnetBytes", "CLinnetOpenSSL"], swiftSettings: pure),

    // Effects.
    .target(
      name: "LinnetIO", dependencies: ["LinnetBytes", "LinnetProtocols", "CLinnetPOSIX"], swiftSettings: pure),

    // The raw client.
    .target(
      name: "LinnetHTTP",
      dependencies: [
        "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols", "LinnetCompression", "LinnetTLS", "LinnetIO",
      ], swiftSettings: common),

    // Test kit, command, executables for suites and benchmarks.
    .target(
      name: "LinnetTestSupport",
      dependencies: [
        "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols", "LinnetCompression", "LinnetTLS", "LinnetIO", "LinnetHTTP",
      ], swiftSettings: common),
    .executableTarget(
      name: "LinnetCLI", dependencies: ["LinnetHTTP", "LinnetTestSupport"], swiftSettings: common),
    .executableTarget(
      name: "LinnetConformanceAdapter", dependencies: ["LinnetHTTP"], swiftSettings: common),
    .target(name: "CLinnetAllocationCounter", path: "Benchmarks/CLinnetAllocationCounter"),
    .executableTarget(
      name: "LinnetBenchmarks", dependencies: ["LinnetHTTP", "CLinnetAllocationCounter"],
      path: "Benchmarks/LinnetBenchmarks", swiftSettings: common),

    // Tests mirror Sources.
    .testTarget(name: "LinnetBytesTests", dependencies: ["LinnetBytes"], swiftSettings: common),
    .testTarget(name: "LinnetHTTPTypesTests", dependencies: ["LinnetHTTPTypes", "LinnetBytes"], swiftSettings: common),
    .testTarget(
      name: "LinnetProtocolsTests", dependencies: ["LinnetProtocols", "LinnetHTTPTypes", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetCompressionTests", dependencies: ["LinnetCompression", "LinnetBytes"], swiftSettings: common),
    .testTarget(name: "LinnetTLSTests", dependencies: ["LinnetTLS", "LinnetBytes"], swiftSettings: common),
    .testTarget(
      name: "LinnetIOTests", dependencies: ["LinnetIO", "LinnetProtocols", "LinnetBytes", "LinnetTestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetTestSupportTests",
      dependencies: ["LinnetTestSupport", "LinnetHTTP", "LinnetIO", "LinnetBytes", "LinnetTLS"], swiftSettings: common),
    .testTarget(
      name: "LinnetHTTPTests",
      dependencies: [
        "LinnetHTTP", "LinnetTestSupport", "LinnetBytes", "LinnetHTTPTypes", "LinnetProtocols", "LinnetTLS", "LinnetIO",
      ], swiftSettings: common),
    .testTarget(
      name: "LinnetIntegrationTests",
      dependencies: ["LinnetHTTP", "LinnetTestSupport", "LinnetTLS", "LinnetIO", "LinnetBytes"],
      swiftSettings: common),
    .testTarget(
      name: "LinnetCLITests",
      dependencies: ["LinnetCLI", "LinnetTestSupport", "LinnetHTTP", "LinnetIO", "LinnetBytes"],
      swiftSettings: common),
  ]
)
