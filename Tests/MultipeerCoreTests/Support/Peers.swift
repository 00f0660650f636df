import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire

/// Peers with real cryptography and seeded randomness, so that every run is the same.
enum Peers {
    static let sodium = TestProvider.sodium
    static let crypto = TestProvider.all

    static func identity(_ seed: UInt64) throws -> SodiumIdentity { try TestProvider.identity(seed) }

    static func configuration(
        _ name: String, seed: UInt64, suites: [Suite] = [.chaChaPoly]
    ) throws -> LinkConfiguration { try TestProvider.configuration(name, seed: seed, suites: suites) }

    /// A pair whose initiator invites at once, unless `invitation` is nil.
    static func pair(
        suites: [Suite] = [.chaChaPoly],
        invitation: OutgoingInvitation? = OutgoingInvitation(terms: SessionTerms(encryption: .optional)),
        initiatorScript: SimulatedPeer.Script = .init(), responderScript: SimulatedPeer.Script = .init(),
        adjustInitiator: (inout LinkConfiguration) -> Void = { _ in },
        adjustResponder: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkPair {
        var first = try configuration("Anna", seed: 1, suites: suites)
        var second = try configuration("Ben", seed: 2, suites: suites)
        adjustInitiator(&first)
        adjustResponder(&second)
        let start = Instant(nanoseconds: 0)
        var initiator = Link(
            role: .initiator, configuration: first, random: SeededRandomSource(seed: 3), now: start)
        let responder = Link(
            role: .responder, configuration: second, random: SeededRandomSource(seed: 4), now: start)
        if let invitation { try initiator.invite(invitation, at: start) }
        return LinkPair(
            initiator: SimulatedPeer(link: initiator, script: initiatorScript),
            responder: SimulatedPeer(link: responder, script: responderScript), now: start)
    }

    /// A pair whose session is open.
    static func openPair(suites: [Suite] = [.chaChaPoly], encryption: EncryptionPreference = .optional) throws
        -> LinkPair
    {
        let terms = SessionTerms(encryption: encryption)
        var pair = try pair(
            suites: suites, invitation: OutgoingInvitation(terms: terms),
            initiatorScript: .init(terms: terms), responderScript: .init(terms: terms))
        pair.run()
        return pair
    }
}
