import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// The two peers: the first bytes of an input.
struct SessionSetting {
    /// Whether the cryptography is the real one. Rare, for it is slow.
    let isReal: Bool
    let suites: [[Suite]]
    let maximumMessage: [UInt32]
    /// Whether the responder has the lesser key.
    let swapsKeys: Bool
    let tracesRecords: Bool
    let sendsGrease: Bool
    let refusesAsBusy: Bool
    /// The peer that the initiator expects: anyone, the responder, or somebody else.
    let expectation: Int
    /// Whether both list the feature *verification* (SPEC §25).
    let verifies: Bool
    /// The lengths of the pieces in which bytes arrive at a second run; 0: there is none.
    let piece: Int

    /// How many bytes a setting has.
    static let length = 4

    init(_ choices: inout Choices) {
        let flags = choices.byte()
        isReal = flags & 0xE0 == 0xE0
        (swapsKeys, tracesRecords, sendsGrease) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        suites = Self.suites[Int(flags >> 3 & 3)]
        let sizes = choices.byte()
        maximumMessage = [Self.maxima[Int(sizes & 7)], Self.maxima[Int(sizes >> 3 & 7)]]
        let rarely = choices.byte()
        refusesAsBusy = rarely == 0xFF
        expectation = rarely < 0xC0 ? 0 : rarely < 0xE0 ? 1 : rarely < 0xF0 ? 2 : 0
        // The real group is slow.
        verifies = (0xF0..<0xFF).contains(rarely) && !isReal
        let cut = choices.byte()
        piece = cut < 0xC0 ? 0 : Int(cut - 0xC0) + 1
    }

    private static let suites: [[[Suite]]] = [
        [[.chaChaPoly, .aesGCM], [.chaChaPoly, .aesGCM]], [[.aesGCM, .chaChaPoly], [.chaChaPoly, .aesGCM]],
        [[.chaChaPoly], [.aesGCM, .chaChaPoly]], [[.aesGCM], [.chaChaPoly]],
    ]
    private static let maxima: [UInt32] = [16_777_216, 0xFFFF_FFFF, 1, 63, 300, 65_536, 70_000, 0]

    /// What both have in common, by SPEC §7.3: the first of the initiator's that the responder has.
    var commonSuite: Suite? { suites[0].first { suites[1].contains($0) } }

    func key(_ side: Int) -> IdentityKey { identity(side).identityKey }

    private func identity(_ side: Int) -> any IdentitySigner {
        let number = swapsKeys ? 1 - side : side
        return isReal ? SessionFixtures.real[number] : SessionFixtures.insecure[number]
    }

    func configuration(_ side: Int) -> LinkConfiguration {
        var configuration = LinkConfiguration(
            identity: identity(side), displayName: SessionFixtures.names[side],
            crypto: isReal ? FuzzCrypto.real : SessionFixtures.summed, bindingVerifier: InsecureBinding())
        configuration.suites = suites[side]
        configuration.maximumMessage = maximumMessage[side]
        configuration.tracesRecords = tracesRecords
        configuration.sendsGrease = sendsGrease
        configuration.offersVerification = verifies
        // Other targets judge silence: Payload and Association.
        configuration.timeouts.keepAlive = nil
        if side == 1 { configuration.refusesAsBusy = refusesAsBusy }
        if side == 0, expectation > 0 {
            configuration.expectedPeer = expectation == 1 ? key(1) : SessionFixtures.stranger
        }
        return configuration
    }
}

/// What every run shares.
enum SessionFixtures {
    static let summed = FuzzCrypto.insecure(.summed)
    static let insecure: [any IdentitySigner] = [identity(0x11), identity(0xEE)]
    static let stranger = identity(0x77).identityKey
    static let names = [name("Anna"), name("Ben")]

    /// Ed25519 keys, the lesser first.
    static let real: [any IdentitySigner] = {
        let pair = [signer(1), signer(2)]
        return pair.sorted { $0.identityKey < $1.identityKey }
    }()

    private static func signer(_ seed: UInt64) -> any IdentitySigner {
        var random: any RandomSource = SeededRandomSource(seed: seed)
        do { return try SodiumIdentity(random: &random, provider: FuzzCrypto.sodium) } catch { fatalError("\(error)") }
    }

    private static func identity(_ byte: UInt8) -> InsecureIdentity {
        do {
            return InsecureIdentity(identityKey: try IdentityKey(rawBytes: [UInt8](repeating: byte, count: 32)))
        } catch { fatalError("\(error)") }
    }

    private static func name(_ text: String) -> DisplayName {
        do { return try DisplayName(text) } catch { fatalError("\(error)") }
    }
}
