import Foundation
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import NIOCore
import NIOPosix

/// Configurations with real cryptography.
enum Nodes {
    static let sodium = TestProvider.sodium
    static let crypto = TestProvider.all

    /// Event loops that no test shuts down.
    static var group: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

    static var options: LinkOptions {
        var options = LinkOptions(random: sodium.random)
        options.validator = AcceptUnverifiedPeers()
        // Tests run at the same time, and some offer what fails.
        options.offers = OfferLimit()
        return options
    }

    static func configuration(
        _ name: String, seed: UInt64, adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkConfiguration {
        var configuration = try TestProvider.configuration(name, seed: seed, suites: [.aesGCM, .chaChaPoly])
        configuration.timeouts = patience
        adjust(&configuration)
        return configuration
    }

    /// No deadline passes however busy the machine is, unless a test is about one.
    static let patience: LinkTimeouts = {
        var timeouts = LinkTimeouts()
        timeouts.keepAlive = nil
        timeouts.handshake = .seconds(3_600)
        timeouts.invitation = .seconds(3_600)
        timeouts.certificates = .seconds(3_600)
        timeouts.closing = .seconds(3_600)
        return timeouts
    }()

    static var invitation: OutgoingInvitation { OutgoingInvitation(terms: terms, timeout: .seconds(600)) }

    static let terms = SessionTerms(encryption: .optional)

    static func anna(_ adjust: (inout LinkConfiguration) -> Void = { _ in }) throws -> LinkConfiguration {
        try configuration("Anna", seed: 1, adjust: adjust)
    }

    static func ben(_ adjust: (inout LinkConfiguration) -> Void = { _ in }) throws -> LinkConfiguration {
        try configuration("Ben", seed: 2, adjust: adjust)
    }
}

/// A folder of its own for each test that wants a Unix socket. Short, because the path of a socket is.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws {
        path = try Self.make()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func make() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mp-" + String(UInt32.random(in: .min ... .max), radix: 36)
        ).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    func socket(_ name: String = "s") -> Endpoint { .unixSocket(path: path + "/" + name) }
}
