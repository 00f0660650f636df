import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

/// How two honest links are set: everything that the attacker cannot change.
struct HandshakeSetting: Hashable {
    /// The peer that the initiator expects (R9.5-4).
    enum Expectation: Int { case anyone, responder, someoneElse }

    let crypto: CryptoKind
    let suites: Int
    let expectation: Expectation
    /// Whether the responder has the initiator's own identity (R9.5-3).
    let isSameIdentity: Bool
    let invites: Bool
    /// Which ephemeral keys: 1 is another session between the same two.
    var session: UInt64 = 0

    static let start = Instant(nanoseconds: 1_000_000_000)

    init(_ flags: UInt8, crypto: CryptoKind) {
        self.crypto = crypto
        suites = Int(flags & 3)
        let wish = flags >> 2 & 7
        expectation = wish == 6 ? .responder : wish == 7 ? .someoneElse : .anyone
        isSameIdentity = flags >> 5 & 3 == 3
        invites = flags & 0x80 == 0
    }

    func persona(_ role: LinkRole) -> Persona { role == .initiator || isSameIdentity ? .anna : .ben }

    func peer(_ role: LinkRole) -> SimulatedPeer {
        let crypto = crypto
        var configuration = persona(role).configuration(crypto)
        configuration.tracesRecords = true
        // Nobody is asked whether it is still there: other targets do that.
        configuration.timeouts.keepAlive = nil
        configuration.suites = suites(of: role)
        if role == .initiator {
            configuration.expectedPeer =
                switch expectation {
                case .anyone: nil
                case .responder: persona(.responder).identity(crypto).identityKey
                case .someoneElse: Persona.eve.identity(crypto).identityKey
                }
        }
        var link = Link(
            role: role, configuration: configuration,
            random: SeededRandomSource(seed: session * 2 + UInt64(role.byte)), now: Self.start)
        if role == .initiator, invites {
            let terms = SessionTerms(encryption: .optional)
            let invitation = OutgoingInvitation(terms: terms, context: Array("context".utf8))
            do { try link.invite(invitation, at: Self.start) } catch { fatalError("a legal invitation: \(error)") }
        }
        return SimulatedPeer(link: link)
    }

    /// The responder has all that the cryptography has. Here it has no hybrid suite where it is real.
    private func suites(of role: LinkRole) -> [Suite] {
        let hybrid: [Suite] = crypto.isReal ? [] : [.hybridChaChaPoly, .hybridAESGCM]
        guard role == .initiator else { return hybrid + [.chaChaPoly, .aesGCM] }
        return switch suites {
        case 0: hybrid.prefix(1) + [.chaChaPoly, .aesGCM]
        case 1: [.aesGCM, .chaChaPoly]
        case 2: [.chaChaPoly]
        default: hybrid.suffix(1) + [.aesGCM]
        }
    }

    /// Magic with the first record, then one record each: how an honest peer's bytes fall apart.
    static func records(_ sent: [UInt8], isBeginning: Bool) -> [[UInt8]] {
        var records: [[UInt8]] = []
        var rest = sent[...]
        while !rest.isEmpty {
            let magic = isBeginning && records.isEmpty ? 8 : 0
            let header = rest.startIndex + magic
            let length = magic + 3 + Int(rest[header + 1]) * 256 + Int(rest[header + 2])
            records.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return records
    }
}
