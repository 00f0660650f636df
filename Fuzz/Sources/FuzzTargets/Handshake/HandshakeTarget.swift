public import FuzzSupport
import MultipeerCore

extension FuzzTarget {
    /// Two links with an attacker between them (SPEC §7, §9, §12), on real cryptography.
    public static let handshake = FuzzTarget(
        name: "Handshake", maximumLength: 512, memory: MemoryBudget(base: 4_194_304, perByte: 1_024),
        minimumFeatures: 12_200,
        seeds: { _ in HandshakeSeeds.real }, run: { try meet($0, [.real]) })

    /// The same on insecure null cryptography, where a fuzzer gets farther: with tags that tell, or with none.
    public static let handshakeInsecure = FuzzTarget(
        name: "HandshakeInsecure", maximumLength: 512, memory: MemoryBudget(base: 4_194_304, perByte: 1_024),
        minimumFeatures: 13_600,
        seeds: { _ in HandshakeSeeds.insecure }, run: { try meet($0, [.summed, .ignored]) })

    /// Three bytes of settings, then the attacker's operations.
    private static func meet(_ input: Span<UInt8>, _ kinds: [CryptoKind]) throws {
        var choices = Choices(input)
        let flags = choices.byte()
        let cut = choices.byte()
        let setting = HandshakeSetting(flags, crypto: kinds[Int(cut >> 7) % kinds.count])
        var other = setting
        other.session = 1
        let attacker = Attacker(&choices, otherSession: try HandshakeBaseline.of(other))
        var run = HandshakeRun(setting, attacker, try HandshakeBaseline.of(setting))
        try run.run()
        try check(run.initiator, run.baseline.initiator, run, cut)
        try check(run.responder, run.baseline.responder, run, cut)
        try agree(run)
        try run.wait()
    }

    private static func check(
        _ side: borrowing HandshakeSide, _ baseline: HandshakeBaseline.Side, _ run: borrowing HandshakeRun,
        _ cut: UInt8
    ) throws {
        try IdentityOracle.check(side)
        if setting(run).crypto.isSealing {
            try HandshakeOracle.checkSealed(side, baseline, isInterrupted: run.isInterrupted)
        }
        // On real cryptography a second run is dear: a quarter of the inputs pay for it.
        switch cut & 3 {
        case 0: try HandshakeReplay.check(side, pieces: [1 + Int(cut >> 2 & 15), 1 + Int(cut >> 4 & 7)])
        case 1 where !setting(run).crypto.isReal: try HandshakeReplay.check(side, pieces: [1])
        case 2: try HandshakeReplay.checkAtOnce(side, baseline)
        default: break
        }
    }

    private static func setting(_ run: borrowing HandshakeRun) -> HandshakeSetting { run.initiator.setting }

    /// Both may be wrong about the network, but never about each other.
    private static func agree(_ run: borrowing HandshakeRun) throws {
        guard setting(run).crypto.isSealing else { return }
        let (first, second) = (session(run.initiator), session(run.responder))
        guard let first, let second else { return }
        try requireEqual(first.handshakeHash, second.handshakeHash, "both sides' handshake hash")
        try requireEqual(first.suite, second.suite, "both sides' suite")
        try requireEqual(first.session, second.session, "both sides' session")
        try requireEqual(first.encryption, second.encryption, "both sides' encryption")
    }

    private static func session(_ side: borrowing HandshakeSide) -> LinkSummary? {
        side.effects.lazy.compactMap(\.summary).first
    }
}
