/// The computations of CPACE-RISTR255-SHA512 (draft-irtf-cfrg-cpace §7, §8.3) and of the confirmations (SPEC §25.5).
///
/// Apart from the states, so that known answers and vectors see the values in between.
package enum CPaceSteps {
    private static let identifier = Array("CPaceRistretto255".utf8)
    private static let keyIdentifier = Array("CPaceRistretto255_ISK".utf8)
    private static let confirmationLabel = Array("CPaceMac".utf8)
    /// The block of SHA-512, which identifier, password and padding fill together.
    private static let blockLength = 128

    /// > generator_string(DSI, PRS, CI, sid, s_in_bytes) denotes a function that returns the string
    /// > lv_cat(DSI, PRS, zero_bytes(len_zpad), CI, sid).
    package static func generator(
        _ password: borrowing Secret, _ context: CPaceContext, _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Secret {
        let head = prefixed(identifier) + leb128(password.count)
        let padding = max(0, blockLength - 1 - head.count - password.count)
        let tail = try withSessionIdentifier(
            of: context, behind: prefixed([UInt8](repeating: 0, count: padding)) + prefixed(context.channelIdentifier),
            isPrefixed: true, primitives)
        let digest = try tail.withBytes { tail throws(CryptoFailure) in
            try primitives.wideHashing.hash(head.span, password, tail)
        }
        return try primitives.group.deriveElement(from: digest)
    }

    /// > transcript_ir(Ya,ADa, Yb,ADb) = lv_cat(Ya,ADa) || lv_cat(Yb, ADb)
    package static func transcript(_ initiator: CPaceMessage, _ responder: CPaceMessage) -> [UInt8] {
        [initiator, responder].flatMap { prefixed($0.share.rawBytes) + prefixed($0.associatedData) }
    }

    /// > ISK = H.hash(lv_cat(G.DSI || b"_ISK", sid, K) || transcript(Ya,ADa,Yb,ADb))
    package static func intermediateKey(
        _ product: borrowing Secret, _ context: CPaceContext, transcript: [UInt8], _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Secret {
        let head = try withSessionIdentifier(
            of: context, behind: prefixed(keyIdentifier), isPrefixed: true, then: leb128(product.count), primitives)
        return try head.withBytes { head throws(CryptoFailure) in
            try primitives.wideHashing.hash(head, product, transcript.span)
        }
    }

    /// > mac_key = H.hash(b"CPaceMac" || sid || ISK)
    package static func confirmationKey(
        _ intermediateKey: borrowing Secret, _ context: CPaceContext, _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Secret {
        let nothing: [UInt8] = []
        let head = try withSessionIdentifier(of: context, behind: confirmationLabel, isPrefixed: false, primitives)
        return try head.withBytes { head throws(CryptoFailure) in
            try primitives.wideHashing.hash(head, intermediateKey, nothing.span)
        }
    }

    /// The confirmation of one role. SPEC §25.5
    package static func confirmation(
        of role: CPaceRole, _ key: borrowing Secret, transcript: [UInt8], _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Secret {
        let head = [role.rawValue]
        return try primitives.hashing.authenticate(head.span, transcript.span, key: key)
    }

    /// Bytes, then sid, alone or after its length, and then others; in guarded memory like sid.
    private static func withSessionIdentifier(
        of context: CPaceContext, behind head: [UInt8], isPrefixed: Bool, then tail: [UInt8] = [],
        _ primitives: PairingPrimitives
    ) throws(CryptoFailure) -> Secret {
        let sid = context.sessionIdentifier
        let start = head + (isPrefixed ? leb128(sid.count) : [])
        var writer = try SecretWriter(count: start.count + sid.count + tail.count, in: primitives.secrets)
        writer.put(start)
        writer.put(sid)
        writer.put(tail)
        return writer.finish()
    }

    /// `prepend_len`: the length, then the bytes.
    private static func prefixed(_ bytes: [UInt8]) -> [UInt8] { leb128(bytes.count) + bytes }

    /// Seven bits a byte, the lowest first, and the highest bit set while more follow.
    private static func leb128(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }
}

/// The byte before what a confirmation covers, so that one party's is never the other's.
package enum CPaceRole: UInt8, Sendable {
    /// CPace's A: the typist of SPEC §25.4.
    case initiator = 0
    /// CPace's B: the presenter.
    case responder = 1
}

/// Both confirmations of one run, in guarded memory: a holder of one could pass for its party.
struct CPaceConfirmations: ~Copyable {
    let initiator: Secret
    let responder: Secret

    /// Computes both. The product K and every key on the way are wiped when it returns.
    init(
        product: consuming Secret, _ context: CPaceContext, from initiator: CPaceMessage, and responder: CPaceMessage,
        _ primitives: PairingPrimitives
    ) throws(CryptoFailure) {
        let transcript = CPaceSteps.transcript(initiator, responder)
        let intermediate = try CPaceSteps.intermediateKey(
            product, context, transcript: transcript, primitives)
        let key = try CPaceSteps.confirmationKey(intermediate, context, primitives)
        let first = try CPaceSteps.confirmation(of: .initiator, key, transcript: transcript, primitives)
        let second = try CPaceSteps.confirmation(of: .responder, key, transcript: transcript, primitives)
        self.initiator = first
        self.responder = second
    }
}
