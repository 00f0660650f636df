public import MultipeerCrypto
import MultipeerWire

/// What is computed for the frames of SPEC §25, with every part open to change.
extension ScriptedPeer {
    /// This peer's part in an attempt with a one-time code on this link. Needs the remote peer's PROOF.
    ///
    /// - Parameters:
    ///   - isTypist: Whether the scripted peer types the code.
    ///   - code: The code.
    ///   - random: The 32 bytes of which y is made.
    ///   - sid: In place of the export of this link.
    public func attempt(
        asTypist isTypist: Bool, code: OneTimeCode, random: [UInt8], sid: [UInt8]? = nil
    ) throws(ScriptedPeerError) -> ScriptedAttempt {
        let exported = try export(label: CPaceContext.exportLabel, context: [], length: CPaceContext.exportLength)
        let (own, theirs) = (identity.identityKey, try theirKey())
        let context = CPaceContext(
            sessionIdentifier: try shared(sid ?? exported), typist: isTypist ? own : theirs,
            presenter: isTypist ? theirs : own)
        let number = UInt64(code.number)
        return ScriptedAttempt(
            isTypist: isTypist, code: code, context: context, random: random,
            data: isTypist
                ? CodeBegin(share: [], number: number).associatedData : CodeAnswer(share: []).associatedData,
            primitives: try primitives())
    }

    /// Commits this link's initiator to a nonce (SPEC §25.3). Needs the remote peer's PROOF.
    public func commitment(to nonce: [UInt8]) throws(ScriptedPeerError) -> [UInt8] {
        let (context, primitives) = (try strings(), try primitives())
        return try attempt { () throws(CryptoFailure) in
            var random: any RandomSource = FixedBytes(rest: nonce[...])
            return try ShortStringInitiator(context: context, primitives: primitives, random: &random).commitment
        }
    }

    /// What two persons compare when these nonces have been exchanged.
    public func shortString(
        initiator: [UInt8], responder: [UInt8]
    ) throws(ScriptedPeerError) -> ShortAuthenticationString {
        let (context, primitives) = (try strings(), try primitives())
        return try attempt { () throws(CryptoFailure) in
            var random: any RandomSource = FixedBytes(rest: initiator[...])
            let side = try ShortStringInitiator(context: context, primitives: primitives, random: &random)
            return try side.reveal(to: responder).string
        }
    }

    private func strings() throws(ScriptedPeerError) -> ShortStringContext {
        let key = try export(
            label: ShortStringContext.exportLabel, context: [], length: ShortStringContext.exportLength)
        let (own, theirs) = (identity.identityKey, try theirKey())
        return ShortStringContext(
            stringKey: try shared(key), initiator: role == .initiator ? own : theirs,
            responder: role == .initiator ? theirs : own)
    }

    private func theirKey() throws(ScriptedPeerError) -> IdentityKey {
        let bytes = peerKey ?? []
        return try attempt { () throws(CryptoFailure) in
            do { return try IdentityKey(rawBytes: bytes) } catch { throw .malformedKey }
        }
    }

    private func shared(_ bytes: [UInt8]) throws(ScriptedPeerError) -> SharedSecret {
        let memory = try primitives().secrets
        return try attempt { () throws(CryptoFailure) in try SharedSecret(copying: bytes, in: memory) }
    }

    private func primitives() throws(ScriptedPeerError) -> PairingPrimitives {
        guard let pairing = crypto.pairing else { throw .crypto(.malformedKey) }
        return pairing
    }
}

/// One peer's part in an attempt with a one-time code (SPEC §25.5). Whatever is changed, the rest is computed for it.
public struct ScriptedAttempt: Sendable {
    public let isTypist: Bool
    public var code: OneTimeCode
    /// Which link it is bound to.
    public var context: CPaceContext
    /// The 32 bytes of which y is made.
    public var random: [UInt8]
    /// AD: what follows the share in the local frame.
    public var data: [UInt8]
    private let primitives: PairingPrimitives

    init(
        isTypist: Bool, code: OneTimeCode, context: CPaceContext, random: [UInt8], data: [UInt8],
        primitives: PairingPrimitives
    ) {
        (self.isTypist, self.code, self.context, self.random) = (isTypist, code, context, random)
        (self.data, self.primitives) = (data, primitives)
    }

    /// The own share with its data.
    public func message() throws(CryptoFailure) -> CPaceMessage {
        let generator = try CPaceSteps.generator(
            try code.password(in: primitives.secrets), context, primitives)
        let share = try primitives.group.multiply(try scalar(), bySecret: generator)
        return CPaceMessage(share: share, associatedData: data)
    }

    /// Both confirmations, once the remote peer's message is there.
    public func confirmations(with other: CPaceMessage) throws(CryptoFailure) -> (typist: [UInt8], presenter: [UInt8]) {
        let own = try message()
        let transcript = isTypist ? CPaceSteps.transcript(own, other) : CPaceSteps.transcript(other, own)
        let product = try primitives.group.multiply(try scalar(), by: other.share)
        let key = try CPaceSteps.confirmationKey(
            try CPaceSteps.intermediateKey(product, context, transcript: transcript, primitives), context, primitives)
        let typist = try CPaceSteps.confirmation(of: .initiator, key, transcript: transcript, primitives)
        let presenter = try CPaceSteps.confirmation(of: .responder, key, transcript: transcript, primitives)
        return (typist.withBytes { [UInt8](copying: $0) }, presenter.withBytes { [UInt8](copying: $0) })
    }

    private func scalar() throws(CryptoFailure) -> GroupScalar {
        var source: any RandomSource = FixedBytes(rest: random[...])
        return try primitives.group.makeScalar(random: &source)
    }
}

/// Encodings that are no share (R25.5-2), made of a good one.
public enum BadShare: String, CaseIterable, Sendable {
    case identity = "the identity"
    case prime = "the identity in another encoding"
    case aboveField = "a number above the field"
    case ones = "2^256 − 1"
    case highBit = "a share with its highest bit set"
    case negative = "a negative number"
    case odd = "an odd number"

    /// 32 bytes.
    public func bytes(of good: [UInt8]) -> [UInt8] {
        // 2^255 − 19, little-endian.
        let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        var changed = good
        switch self {
        case .identity: return [UInt8](repeating: 0, count: 32)
        case .prime: return prime
        case .aboveField: return [0xEE] + prime.dropFirst()
        case .ones: return [UInt8](repeating: 0xFF, count: 32)
        case .highBit: changed[31] |= 0x80
        case .negative: return [1] + [UInt8](repeating: 0, count: 31)
        case .odd: changed[0] |= 1
        }
        return changed
    }
}

/// Prepared bytes, and zeros after them.
private struct FixedBytes: RandomSource {
    var rest: ArraySlice<UInt8>

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = rest.popFirst() ?? 0 }
    }
}
