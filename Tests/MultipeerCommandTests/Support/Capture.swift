import MultipeerCore
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire

/// Both directions of a whole session, and the plaintexts of its records.
struct Capture: Sendable {
    let initiator: [UInt8]
    let responder: [UInt8]
    let plaintexts: [[UInt8]]

    /// - Parameter encryption: Of both peers; with `none` payload can be read in the capture.
    init(encryption: EncryptionPreference) throws {
        let terms = SessionTerms(encryption: encryption)
        let start = Instant(nanoseconds: 0)
        func configuration(_ name: String, seed: UInt64) throws -> LinkConfiguration {
            try TestProvider.configuration(name, seed: seed, suites: [.chaChaPoly, .aesGCM]) { $0.tracesRecords = true }
        }
        var first = Link(
            role: .initiator, configuration: try configuration("Ada", seed: 1), random: SeededRandomSource(seed: 3),
            now: start)
        let second = Link(
            role: .responder, configuration: try configuration("Ben", seed: 2), random: SeededRandomSource(seed: 4),
            now: start)
        try first.invite(OutgoingInvitation(terms: terms, context: Array("context".utf8)), at: start)
        var pair = LinkPair(
            initiator: SimulatedPeer(link: first, script: .init(terms: terms)),
            responder: SimulatedPeer(link: second, script: .init(terms: terms)), now: start)
        pair.run()
        try pair.initiator.link.send(Array("readable?".utf8), at: pair.now)
        pair.initiator.script.file = [UInt8](repeating: 7, count: 70_000)
        _ = try pair.initiator.link.offerFile(name: "seven.bin", size: 70_000, at: pair.now)
        pair.run()
        pair.initiator.link.close(at: pair.now)
        pair.run()
        initiator = pair.fromInitiator
        responder = pair.fromResponder
        plaintexts = pair.initiator.traces.filter { $0.counter != nil }.map(\.plaintext)
    }
}
