// swift-tools-version: 6.2
import PackageDescription

// A target imports only targets below it (docs/architecture.md). Every use of another package stands under a trait, so a
// package that depends on `MultipeerWire` or `MultipeerCore` with `traits: []` resolves nothing else (Scripts/check-light).
// What only benchmarks or fuzzers need lives in packages of their own beside this one.

/// Every target: Swift 6 mode, strict memory safety, warnings as errors.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Own ~Escapable views over peer bytes (readers, frames) need lifetime annotations.
    .enableExperimentalFeature("Lifetimes"),
]

/// Tests use C libraries and raw buffers freely; they keep the other rules.
let testing: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// As apps are built by default: one import gives them the members of what it returns.
let appLike: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

/// As apps for Apple's framework mostly are: they predate Swift 6.
let ported: [SwiftSetting] = [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]

/// The conditions of all uses of other packages: one without a condition would be resolved by every consumer.
let nio: TargetDependencyCondition? = .when(traits: ["NIO"])
let commandLineTool: TargetDependencyCondition? = .when(traits: ["CommandLineTool"])
let postQuantum: TargetDependencyCondition? = .when(traits: ["PostQuantum"])

let package = Package(
    name: "swift-multipeer",
    products: [
        // Apps: peers, sessions, messages, files, streams.
        .library(
            name: "Multipeer",
            targets: ["Multipeer", "MultipeerStorage", "MultipeerTransfers", "MultipeerDiscovery", "MultipeerClock"]),
        // Apps for Apple's framework.
        .library(name: "MultipeerConnectivity", targets: ["MultipeerConnectivity"]),
        // Programs that read or write records.
        .library(name: "MultipeerWire", targets: ["MultipeerWire"]),
        // Other transports: the state machine, without sockets, clock and C; queues and back pressure over it.
        .library(
            name: "MultipeerCore",
            targets: ["MultipeerCore", "MultipeerCrypto", "MultipeerCertificates", "MultipeerDriver"]),
        // Its cryptography in one call, by libsodium, GnuTLS and swift-crypto, and the store of a user's identity and known peers.
        .library(
            name: "MultipeerDefaults",
            targets: [
                "MultipeerDefaults", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerPostQuantum", "MultipeerStorage",
            ]),
        // Single links over sockets, by SwiftNIO.
        .library(name: "MultipeerNIO", targets: ["MultipeerNIO"]),
        // Tests: virtual time, simulated networks, a peer that breaks rules, vectors, the conformance tester.
        .library(
            name: "MultipeerTesting",
            targets: ["MultipeerTesting", "MultipeerScriptedPeer", "MultipeerVectors", "MultipeerConformance"]),
        // People who send files and chat.
        .executable(name: "multipeer", targets: ["MultipeerTool"]),
        // Implementers: vectors, live peers, single links, captures.
        .executable(name: "multipeer-lab", targets: ["MultipeerLab"]),
    ],
    traits: [
        .default(enabledTraits: ["NIO", "CommandLineTool", "PostQuantum"]),
        .trait(
            name: "NIO",
            description: "What stands on SwiftNIO: MultipeerNIO, and several threads for MultipeerStorage"),
        .trait(
            name: "CommandLineTool", description: "The command-line tools, which parse arguments by ArgumentParser",
            enabledTraits: ["NIO"]),
        .trait(
            name: "PostQuantum",
            description: "Hybrid suites, whose ML-KEM-768 comes from swift-crypto: the longest part of a first build"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        // C borders
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CFileSystem"),
        .systemLibrary(name: "CClock"),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(
            name: "CAvahi", providers: [.apt(["libavahi-client-dev", "libavahi-core-dev"])]),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        // Pure targets: no C, no Foundation, no sockets
        .target(name: "MultipeerWire", swiftSettings: strict),
        .target(name: "MultipeerCrypto", dependencies: ["MultipeerWire"], swiftSettings: strict),
        .target(
            name: "MultipeerCertificates", dependencies: ["MultipeerWire", "MultipeerCrypto"], swiftSettings: strict),
        .target(
            name: "MultipeerCore", dependencies: ["MultipeerWire", "MultipeerCrypto", "MultipeerCertificates"],
            swiftSettings: strict),
        // A peer that can break every rule. It knows nothing of MultipeerCore, so that it is an oracle for it as well.
        .target(
            name: "MultipeerScriptedPeer", dependencies: ["MultipeerWire", "MultipeerCrypto"], swiftSettings: strict),
        // What breaks which rule, as data, for vectors and live peers alike
        .target(
            name: "MultipeerRules", dependencies: ["MultipeerWire", "MultipeerCrypto", "MultipeerScriptedPeer"],
            swiftSettings: strict),
        .target(
            name: "MultipeerDriver",
            dependencies: ["MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore"],
            swiftSettings: strict),
        .target(
            name: "MultipeerTesting",
            dependencies: [
                "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore", "MultipeerDriver",
                "MultipeerScriptedPeer",
            ],
            swiftSettings: strict),

        // Backends
        .target(name: "MultipeerSodium", dependencies: ["MultipeerCrypto", "CSodium"], swiftSettings: strict),
        .target(
            name: "MultipeerGnuTLS", dependencies: ["MultipeerCrypto", "MultipeerCertificates", "CGnuTLS"],
            swiftSettings: strict),

        // ML-KEM-768 of hybrid suites; empty without its trait.
        .target(
            name: "MultipeerPostQuantum",
            dependencies: [
                "MultipeerWire", "MultipeerCrypto",
                .product(name: "Crypto", package: "swift-crypto", condition: postQuantum),
            ],
            swiftSettings: strict),

        // The usual choice of all three, in one call
        .target(
            name: "MultipeerDefaults",
            dependencies: ["MultipeerCrypto", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerPostQuantum"],
            swiftSettings: strict),

        // Adapters to the outside: time, terminal, disk, sockets
        .target(name: "MultipeerClock", swiftSettings: strict),
        .target(name: "MultipeerTerminal", dependencies: ["MultipeerClock"], swiftSettings: strict),
        .target(
            name: "MultipeerDiscovery", dependencies: ["MultipeerWire", "MultipeerCrypto", "CAvahi"],
            swiftSettings: strict),
        .target(name: "MultipeerQRCode", dependencies: ["CQRencode"], swiftSettings: strict),
        .target(
            name: "MultipeerStorage",
            dependencies: [
                "MultipeerClock", "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore",
                "CFileSystem",
                // Only its thread pool, and one thread without it: files are opened by the system calls that say O_NOFOLLOW and
                // NOREPLACE.
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: strict),
        .target(
            name: "MultipeerNIO",
            dependencies: [
                "MultipeerClock", "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore",
                "MultipeerDriver",
                .product(name: "NIOCore", package: "swift-nio", condition: nio),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
                .product(name: "Logging", package: "swift-log", condition: nio),
            ],
            swiftSettings: strict),
        // Files between disk and link
        .target(
            name: "MultipeerTransfers",
            dependencies: [
                "MultipeerWire", "MultipeerCrypto", "MultipeerCore", "MultipeerDriver", "MultipeerStorage",
                // Only so that its links can carry files.
                .target(name: "MultipeerNIO", condition: nio),
            ],
            swiftSettings: strict),
        // The API for apps: peers, sessions and their members
        .target(
            name: "Multipeer",
            dependencies: [
                "MultipeerClock", "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore",
                "MultipeerSodium",
                "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerStorage", "MultipeerDriver", "MultipeerNIO",
                "MultipeerTransfers", "MultipeerDiscovery",
                .product(name: "NIOCore", package: "swift-nio", condition: nio),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
                .product(name: "Logging", package: "swift-log", condition: nio),
            ],
            swiftSettings: strict),
        // Apple's names over Multipeer. On systems that have Apple's own module it is empty (see the end of this file).
        .target(
            name: "MultipeerConnectivity",
            dependencies: [
                "MultipeerClock", "Multipeer", "MultipeerTerminal", "MultipeerWire", "MultipeerCrypto",
                "MultipeerCertificates",
                "MultipeerCore", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerStorage",
                "MultipeerNIO", "MultipeerTransfers", "MultipeerDiscovery",
            ],
            swiftSettings: strict),
        // Plays against live peers, by the scripted peer. It knows nothing of MultipeerCore either.
        .target(
            name: "MultipeerConformance",
            dependencies: [
                "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerScriptedPeer", "MultipeerRules",
            ],
            swiftSettings: strict),
        // Test vectors: data in and out, other people's implementations as child processes
        .target(
            name: "MultipeerVectors",
            dependencies: [
                "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore", "MultipeerScriptedPeer",
                "MultipeerRules", "MultipeerTesting", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults",
            ],
            swiftSettings: strict),
        // What both programs of the command line need: options, output, exit statuses, questions, signals
        .target(
            name: "MultipeerCommandLine",
            dependencies: [
                "MultipeerClock", "Multipeer", "MultipeerTerminal", "MultipeerWire", "MultipeerCrypto",
                "MultipeerCertificates", "MultipeerCore", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults",
                "MultipeerStorage", "MultipeerDriver", "MultipeerNIO", "MultipeerTransfers", "MultipeerDiscovery",
                "CProcess",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: commandLineTool),
            ],
            swiftSettings: strict),
        // `multipeer`, for people
        .executableTarget(
            name: "MultipeerTool",
            dependencies: [
                "MultipeerCommandLine", "MultipeerClock", "Multipeer", "MultipeerTerminal", "MultipeerWire",
                "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore", "MultipeerSodium", "MultipeerGnuTLS",
                "MultipeerDefaults", "MultipeerStorage", "MultipeerDriver", "MultipeerNIO", "MultipeerTransfers",
                "MultipeerDiscovery", "MultipeerQRCode", "CClock",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: commandLineTool),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: strict),
        // `multipeer-lab`, for implementers
        .executableTarget(
            name: "MultipeerLab",
            dependencies: [
                "MultipeerCommandLine", "Multipeer", "MultipeerTerminal", "MultipeerWire", "MultipeerCrypto",
                "MultipeerCertificates", "MultipeerCore", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerStorage",
                "MultipeerDriver", "MultipeerNIO", "MultipeerTransfers", "MultipeerVectors", "MultipeerConformance",
                "MultipeerScriptedPeer",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: commandLineTool),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: strict),

        // Examples/: the smallest complete programs, shown in README or docs/examples.md and run by the tests
        .executableTarget(
            name: "TwoLinks",
            dependencies: [
                "MultipeerCertificates", "MultipeerCore", "MultipeerCrypto", "MultipeerDefaults", "MultipeerSodium",
            ],
            path: "Examples/TwoLinks", swiftSettings: testing),
        .executableTarget(
            name: "OwnTransport",
            dependencies: [
                "MultipeerCertificates", "MultipeerCore", "MultipeerCrypto", "MultipeerDefaults", "MultipeerSodium",
            ],
            path: "Examples/OwnTransport", swiftSettings: testing),
        .executableTarget(
            name: "OverTCP",
            dependencies: [
                "MultipeerCertificates", "MultipeerCore", "MultipeerCrypto", "MultipeerDefaults", "MultipeerNIO",
                "MultipeerSodium", .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            path: "Examples/OverTCP", swiftSettings: testing),

        .executableTarget(
            name: "Doorbell", dependencies: ["Multipeer"], path: "Examples/Doorbell",
            swiftSettings: appLike),
        .executableTarget(
            name: "Chat", dependencies: ["Multipeer"], path: "Examples/Chat",
            swiftSettings: appLike),
        // Apps as they are written for Apple's framework
        .executableTarget(
            name: "NearbyChat", dependencies: ["MultipeerConnectivity"], path: "Examples/NearbyChat",
            swiftSettings: ported),
        .executableTarget(
            name: "DeviceManager", dependencies: ["MultipeerConnectivity"], path: "Examples/DeviceManager",
            swiftSettings: ported),
        .executableTarget(
            name: "PaperShelf", dependencies: ["MultipeerConnectivity"], path: "Examples/PaperShelf",
            swiftSettings: ported),
        .executableTarget(
            name: "RemoteControl", dependencies: ["MultipeerConnectivity"], path: "Examples/RemoteControl",
            swiftSettings: ported),
        .executableTarget(
            name: "MeetAgain", dependencies: ["MultipeerConnectivity"], path: "Examples/MeetAgain",
            swiftSettings: ported),

        // What several test targets need: real cryptography, certificates by openssl, scratch folders, the built programs
        .target(
            name: "MultipeerTestSupport",
            dependencies: [
                "MultipeerClock", "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore",
                "MultipeerSodium",
                "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerTesting",
            ],
            path: "Tests/MultipeerTestSupport", swiftSettings: testing),
        .testTarget(
            name: "MultipeerTests",
            dependencies: [
                "Multipeer", "Chat", "MultipeerClock", "MultipeerDiscovery", "MultipeerCertificates", "MultipeerCore",
                "MultipeerCrypto", "MultipeerDriver", "MultipeerNIO",
                "MultipeerStorage", "MultipeerSodium", "MultipeerTransfers", "MultipeerTestSupport",
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
                .product(name: "Logging", package: "swift-log", condition: nio),
            ],
            swiftSettings: appLike),
        .testTarget(
            name: "MultipeerConnectivityTests",
            dependencies: [
                "MultipeerConnectivity", "Multipeer", "MultipeerClock", "MultipeerCrypto", "MultipeerDiscovery",
                "MultipeerTerminal", "MultipeerTestSupport",
                // They are run as processes.
                "NearbyChat", "DeviceManager", "PaperShelf", "RemoteControl", "MeetAgain",
            ],
            swiftSettings: appLike),
        .testTarget(name: "MultipeerWireTests", dependencies: ["MultipeerWire"], swiftSettings: testing),
        .testTarget(
            name: "MultipeerCryptoTests",
            // The C libraries as well: each is the oracle of the other's adapter.
            dependencies: [
                "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerSodium", "MultipeerGnuTLS",
                "MultipeerDefaults", "MultipeerTesting", "MultipeerTestSupport", "CSodium", "CGnuTLS",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerCertificatesTests",
            dependencies: ["MultipeerCertificates", "MultipeerGnuTLS", "MultipeerSodium", "MultipeerTestSupport"],
            exclude: ["limbo-deviations.json"], swiftSettings: testing),
        .testTarget(
            name: "MultipeerDiscoveryTests",
            dependencies: [
                "MultipeerDiscovery", "MultipeerCrypto", "MultipeerSodium", "MultipeerDefaults", "MultipeerTestSupport",
            ],
            swiftSettings: testing),
        .testTarget(name: "MultipeerQRCodeTests", dependencies: ["MultipeerQRCode"], swiftSettings: testing),
        .target(
            name: "MultipeerTerminalTestSupport", path: "Tests/MultipeerTerminalTestSupport", swiftSettings: testing),
        .testTarget(
            name: "MultipeerTerminalTests", dependencies: ["MultipeerTerminal", "MultipeerTerminalTestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerStorageTests",
            dependencies: [
                "MultipeerStorage", "MultipeerWire", "MultipeerCore", "MultipeerSodium", "MultipeerCertificates",
                "MultipeerCrypto", "MultipeerTestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerTransfersTests",
            dependencies: [
                "MultipeerTransfers", "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore",
                "MultipeerDriver", "MultipeerNIO", "MultipeerStorage", "MultipeerSodium", "MultipeerTestSupport",
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerCommandTests",
            // The programs are run as processes; the rest makes captures for them, and reads what they wrote.
            dependencies: [
                "TwoLinks", "OwnTransport", "OverTCP", "Doorbell", "Chat", "MultipeerTool", "MultipeerLab",
                "MultipeerCommandLine", "Multipeer",
                "MultipeerCertificates",
                "MultipeerCore", "MultipeerTerminal", "MultipeerTerminalTestSupport",
                "MultipeerDriver", "MultipeerNIO", "MultipeerStorage", "MultipeerDiscovery", "MultipeerWire",
                "MultipeerTesting", "MultipeerTestSupport", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults",
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerVectorsTests",
            dependencies: [
                "MultipeerVectors", "MultipeerRules", "MultipeerScriptedPeer", "MultipeerWire", "MultipeerTestSupport",
                "MultipeerLab",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerCoreTests",
            dependencies: [
                "MultipeerCore", "MultipeerDriver", "MultipeerTesting", "MultipeerTestSupport", "MultipeerScriptedPeer",
                "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerConformanceTests",
            // The faulty peer of these tests stands on the scripted peer; the honest one is the whole stack.
            dependencies: [
                "MultipeerConformance", "MultipeerScriptedPeer", "MultipeerWire", "MultipeerCrypto",
                "MultipeerCertificates", "MultipeerCore", "MultipeerDriver", "MultipeerNIO", "MultipeerSodium",
                "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerTesting", "MultipeerTestSupport",
                .product(name: "NIOCore", package: "swift-nio", condition: nio),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerDriverTests",
            dependencies: [
                "MultipeerDriver", "MultipeerCore", "MultipeerTesting", "MultipeerTestSupport", "MultipeerSodium",
                "MultipeerGnuTLS", "MultipeerDefaults",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "MultipeerNIOTests",
            dependencies: [
                "MultipeerNIO", "MultipeerCore", "MultipeerDriver", "MultipeerTesting", "MultipeerTestSupport",
                "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults",
                .product(name: "NIOCore", package: "swift-nio", condition: nio),
                .product(name: "NIOPosix", package: "swift-nio", condition: nio),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: nio),
            ],
            swiftSettings: testing),
        // Faults that sanitized runs have to see; without a sanitizer it is empty (docs/sanitizers.md).
        .testTarget(name: "SanitizerTests", swiftSettings: testing),
    ],
    swiftLanguageModes: [.v6]
)

// There an app imports Apple's own module of this name: it depends on this one for Linux alone (docs/porting.md).
#if canImport(Darwin)
    for target in package.targets where target.name == "MultipeerConnectivity" { target.sources = ["OnAppleSystems"] }
#endif

// Fuzzers read vectors and do not write them. To compile the generator with counters takes as long as all the rest.
if Context.environment["MULTIPEER_FUZZ"] != nil {
    for target in package.targets where target.name == "MultipeerVectors" { target.exclude = ["Generate"] }
}

// The gate runs the tests of the pure targets in a release build, which shows miscompilations (docs/decisions/0004), and all others in
// a debug build. Neither build compiles the tests of the other (Scripts/test). The release build has no trait: swift-crypto takes as long
// as all the rest of it. So the debug build also has the tests of the pure targets that need its ML-KEM-768.
switch Context.environment["MULTIPEER_TESTS"] {
case "pure":
    // What else there is, and optimising the tests themselves, takes most of the time of such a build. The adapter runs optimised in
    // the benchmarks.
    let others: Set = [
        "MultipeerTool", "MultipeerLab", "MultipeerCommandLine", "MultipeerRules", "MultipeerConformance",
        "MultipeerConformanceTests",
        "MultipeerVectors",
        "MultipeerVectorsTests",
        "MultipeerStorage", "MultipeerStorageTests", "MultipeerCommandTests", "MultipeerDriverTests",
        "SanitizerTests",
        "Multipeer", "MultipeerTests", "Chat", "Doorbell", "MultipeerDiscovery", "MultipeerDiscoveryTests",
        "MultipeerNIO",
        "MultipeerConnectivity", "MultipeerConnectivityTests", "NearbyChat", "DeviceManager", "PaperShelf",
        "RemoteControl", "MeetAgain",
        "MultipeerQRCode", "MultipeerQRCodeTests",
        "MultipeerTerminal", "MultipeerTerminalTests", "MultipeerTerminalTestSupport",
        "MultipeerNIOTests", "MultipeerTransfers",
        "MultipeerTransfersTests", "TwoLinks",
        "OwnTransport", "OverTCP",
    ]
    package.products = []
    package.targets.removeAll { others.contains($0.name) }
    for target in package.targets where target.type == .test {
        target.swiftSettings = testing + [.unsafeFlags(["-Onone"])]
    }
case "others":
    let pure: Set = ["MultipeerWireTests", "MultipeerCertificatesTests"]
    package.targets.removeAll { pure.contains($0.name) }
    let postQuantumTests = [
        "MultipeerCryptoTests": [
            "Encapsulation", "Noise/NoiseHandshakeTests.swift", "Noise/NoisePair.swift", "Support",
        ],
        "MultipeerCoreTests": ["Handshake", "SessionTests.swift", "Support"],
    ]
    for target in package.targets { target.sources = postQuantumTests[target.name] ?? target.sources }
    // What belongs to the packages of fuzzers and benchmarks is compiled here too: they would compile everything below it anew.
    let fuzzing: [Target.Dependency] = [
        "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore", "MultipeerScriptedPeer",
        "MultipeerTesting", "MultipeerSodium", "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerStorage",
        "MultipeerVectors", "CMemoryMeter",
    ]
    let measuring: [Target.Dependency] = [
        "MultipeerWire", "MultipeerCrypto", "MultipeerCertificates", "MultipeerCore", "MultipeerSodium",
        "MultipeerGnuTLS", "MultipeerDefaults", "MultipeerNIO", "MultipeerStorage", "MultipeerTransfers",
        "MultipeerTesting", "Multipeer", "CReference",
        .product(name: "NIOCore", package: "swift-nio", condition: nio),
        .product(name: "NIOPosix", package: "swift-nio", condition: nio),
    ]
    // As the manifests of those packages say it.
    let beside = testing + [.strictMemorySafety()]
    package.targets += [
        .target(name: "CMemoryMeter", path: "Fuzz/Sources/CMemoryMeter"),
        .target(
            name: "FuzzSupport", dependencies: fuzzing, path: "Fuzz/Sources/FuzzSupport", swiftSettings: beside),
        .target(
            name: "FuzzTargets", dependencies: fuzzing + ["FuzzSupport"], path: "Fuzz/Sources/FuzzTargets",
            swiftSettings: beside),
        .executableTarget(
            name: "FuzzCanary", dependencies: ["FuzzSupport", "FuzzTargets"], path: "Fuzz/Sources/Programs/Canary",
            swiftSettings: beside),
        .testTarget(
            name: "FuzzReplayTests", dependencies: fuzzing + ["FuzzSupport", "FuzzTargets"],
            path: "Fuzz/Tests/FuzzReplayTests", swiftSettings: beside),
        .target(name: "CAllocations", path: "Benchmarks/Sources/CAllocations"),
        .target(
            name: "CReference", path: "Benchmarks/Sources/CReference",
            linkerSettings: [.linkedLibrary("sodium"), .linkedLibrary("gnutls")]),
        .target(
            name: "Workloads", dependencies: measuring, path: "Benchmarks/Sources/Workloads", swiftSettings: testing),
        .executableTarget(
            name: "SideBySide", dependencies: measuring + ["Workloads", "CAllocations"],
            path: "Benchmarks/Sources/SideBySide", swiftSettings: testing),
    ]
default:
    break
}
