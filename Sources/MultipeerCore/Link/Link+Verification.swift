public import MultipeerCrypto
import MultipeerWire

/// One-time codes and short strings (SPEC §25). The owner of several links answers all that ask for a code with the same
/// ``PresentedCode``, so that it is burned for all of them once a guess was made on one; ``Node`` does so.
extension Link {
    /// Whether both peers know how to verify keys. False until the peer is identified.
    public var isVerificationAvailable: Bool { context.isShared(.verification) }

    /// Whether a code has been tried on this link, by either peer. A link that lives on after it has a verified peer.
    var hasTriedCode: Bool { context.hasTriedCode }

    // MARK: One-time codes

    /// Tries a code that the peer's person has told, in *identified*. An invitation that the app asks for from now on goes out
    /// once the code was right (R17-1).
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/verificationUnavailable``,
    ///   ``RequestError/codeTriedBefore``, ``RequestError/crypto(_:)``.
    public mutating func giveCode(_ code: OneTimeCode, at now: Instant) throws(RequestError) {
        begin(at: now)
        guard !context.hasTriedCode else { throw .codeTriedBefore }
        guard stage == .identified else { throw .wrongStage(stage) }
        step(.giveCode(try given(code)))
    }

    /// Says with which code the local peer answers ``VerificationEvent/codeWanted(_:number:)``; nil if it shows none of
    /// that number (R25.6-6). A code that is burned counts as none.
    /// - Throws: ``RequestError/staleToken``, ``RequestError/crypto(_:)``.
    public mutating func answerCode(
        _ token: LinkToken, with code: PresentedCode?, at now: Instant
    ) throws(RequestError) {
        try requireOpen(.code(token), at: now)
        var given: GivenCode?
        if let code {
            given = try self.given(code.code)
            given?.presented = code
        }
        step(.answerCode(given))
    }

    private func given(_ code: OneTimeCode) throws(RequestError) -> GivenCode {
        guard let primitives = sharedPrimitives else { throw .verificationUnavailable }
        do {
            let sid = try export(CPaceContext.exportLabel)
            return GivenCode(code: code, sessionIdentifier: sid, primitives: primitives)
        } catch {
            throw .crypto(error)
        }
    }

    // MARK: Short strings

    /// The local person wants to compare short strings. The string comes by ``VerificationEvent/shortString(_:)``, once
    /// the peer's person wants to as well (R25.6-4).
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/verificationUnavailable``,
    ///   ``RequestError/comparedBefore``, ``RequestError/crypto(_:)``.
    public mutating func compareStrings(at now: Instant) throws(RequestError) {
        begin(at: now)
        switch stage {
        case .identified, .pairing, .resuming, .inviting, .invited, .certificates, .open, .draining: break
        case .hello, .proof, .info, .closing, .closed: throw .wrongStage(stage)
        }
        guard let exchange = state.strings else { throw .wrongStage(stage) }
        guard isVerificationAvailable else { throw .verificationUnavailable }
        guard exchange.mayBegin else { throw .comparedBefore }
        do throws(LinkFailureCause) {
            guard let link = try comparedLink() else { throw .crypto(.malformedKey) }
            try exchange.begin(over: link, in: context)
        } catch {
            fail(error)
        }
    }

    // MARK: Frames

    /// Takes a frame of the feature, which both peers list. Those of short strings concern no phase.
    mutating func handleVerification(
        _ frame: borrowing RawFrame, type: FrameType
    ) throws(LinkFailureCause) {
        // R25.6-2; before PEER_INFO nobody has listed anything.
        guard context.isShared(.verification), let exchange = state.strings else { throw frame.unexpected }
        switch type {
        case .stringAsk, .stringCommit, .stringNonce, .stringReveal:
            guard let link = try comparedLink() else { throw frame.unexpected }
            try exchange.receive(frame, type: type, over: link, in: context)
        default: step(frame, type: type)
        }
    }

    /// The two peers whose keys are compared (SPEC §25.3).
    private func comparedLink() throws(LinkFailureCause) -> ComparedLink? {
        guard let primitives = sharedPrimitives, let peer = context.provedPeer else { return nil }
        let own = context.configuration.identity.identityKey
        let key: SharedSecret
        do {
            key = try export(ShortStringContext.exportLabel)
        } catch {
            throw .crypto(error)
        }
        return ComparedLink(
            strings: ShortStringContext(
                stringKey: key, initiator: role == .initiator ? own : peer, responder: role == .initiator ? peer : own),
            primitives: primitives)
    }

    private var sharedPrimitives: PairingPrimitives? {
        isVerificationAvailable ? context.configuration.pairing : nil
    }

    /// One of the exports of SPEC §25.1, 32 bytes, which are there as soon as both proofs are verified.
    private func export(_ label: [UInt8]) throws(CryptoFailure) -> SharedSecret {
        guard let secret = try state.exports?.secret(label: label) else { throw .malformedKey }
        return secret
    }
}
