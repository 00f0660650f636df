// swift-tools-version: 6.2
import PackageDescription

// What only benchmarks need stays out of the root package, whose users would have to resolve it too.
//
//   Sources/CAllocations  counts heap allocations: malloc and its kin, interposed
//   Sources/CReference    what everything is compared with, in C: bare AEADs, GnuTLS's TLS 1.3, bare primitives
//   Sources/Workloads     the work that is measured, in Swift, shared by both kinds of program below
//   Sources/SideBySide    one run, all ratios: Scripts/benchmark writes them to docs/benchmarks.md
//   Sources/Measuring     what the benchmarks below share
//   Records, Frames, Handshakes   the same work under ordo-one/benchmark, for comparing two states of the code

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

let multipeer: [Target.Dependency] = [
    "MultipeerCore", "MultipeerDefaults", "MultipeerNIO", "MultipeerTesting", "MultipeerWire", "Multipeer",
].map { .product(name: $0, package: "swift-multipeer") }

/// The plugin finds benchmarks by the name of the folder that holds their folder: this package's root is `Benchmarks`.
func benchmark(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Measuring", "Workloads", .product(name: "Benchmark", package: "benchmark")],
        path: name, swiftSettings: strict,
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
}

let package = Package(
    name: "multipeer-benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-multipeer", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // Without its interposers: they count nothing on Linux with this toolchain. CAllocations counts.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "CAllocations"),
        .target(
            name: "CReference", cSettings: [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])],
            linkerSettings: [.linkedLibrary("sodium"), .linkedLibrary("gnutls")]),
        .target(
            name: "Workloads",
            dependencies: multipeer + [
                "CReference", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "SideBySide", dependencies: ["Workloads", "CReference", "CAllocations"], swiftSettings: strict),
        .target(
            name: "Measuring",
            dependencies: ["Workloads", "CAllocations", .product(name: "Benchmark", package: "benchmark")],
            swiftSettings: strict),
        benchmark("Records"),
        benchmark("Frames"),
        benchmark("Handshakes"),
    ],
    swiftLanguageModes: [.v6]
)
