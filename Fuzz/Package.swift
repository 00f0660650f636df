// swift-tools-version: 6.2
import PackageDescription

// What only fuzzing needs stays out of the root package, whose users would have to resolve it too.
//
//   Sources/CMemoryMeter  how much the code under test allocates, as AddressSanitizer counts it
//   Sources/FuzzSupport   input as choices, oracles, insecure null cryptography, the entry that every program shares
//   Sources/FuzzTargets   one target a folder: what is fed, what must hold, which seeds; libFuzzer's entry for all programs
//   Sources/Programs      one program a target, whose name says which; without libFuzzer it replays files
//   Corpus, Regressions, Dictionaries      a folder or file a target (docs/fuzzing.md)
//
// Scripts/fuzz builds, runs, measures and minimises. `swift test` here replays everything without the fuzzer.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

let multipeer: [Target.Dependency] = [
    "MultipeerCore", "MultipeerDefaults", "MultipeerTesting", "MultipeerWire",
].map { .product(name: $0, package: "swift-multipeer") }

/// The programs, by the name of their target.
let programs = [
    "Canary",
    "Frames",
    "RecordStream",
    "RoundTrip",
    "Negotiation",
    "Handshake",
    "HandshakeInsecure",
    "RecordProtection",
    "RecordProtectionInsecure",
    "Proof",
    "Session",
    "Invitation",
    "Encounters",
    "Payload",
    "Association",
    "Datagrams",
    "Entries",
    "RosterMerge",
    "Members",
    "Manifest",
    "CertificateChain",
    "PEM",
    "StoredFiles",
    "VectorFile",
]

func program(_ name: String) -> Target {
    .executableTarget(
        name: "Fuzz\(name)", dependencies: ["FuzzSupport", "FuzzTargets"], path: "Sources/Programs/\(name)",
        swiftSettings: strict)
}

let package = Package(
    name: "multipeer-fuzz",
    platforms: [.macOS(.v13)],
    // Without traits it needs no other package, which would be built with counters and sanitizers as well.
    dependencies: [.package(name: "swift-multipeer", path: "..", traits: [])],
    targets: [
        .target(name: "CMemoryMeter"),
        .target(name: "FuzzSupport", dependencies: multipeer + ["CMemoryMeter"], swiftSettings: strict),
        .target(name: "FuzzTargets", dependencies: multipeer + ["FuzzSupport"], swiftSettings: strict),
        .testTarget(
            name: "FuzzReplayTests", dependencies: ["FuzzSupport", "FuzzTargets"] + multipeer, swiftSettings: strict),
    ] + programs.map(program),
    swiftLanguageModes: [.v6]
)

// Replaying what fuzzers found needs none of the programs (Scripts/test).
if Context.environment["MULTIPEER_REPLAY"] != nil {
    package.targets.removeAll { $0.type == .executable }
}
