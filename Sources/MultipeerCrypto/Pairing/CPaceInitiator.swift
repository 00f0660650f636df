internal import MultipeerWire

/// CPace's A before the other party has answered: the typist of a one-time code (SPEC §25.5).
///
///     A → B: Ya, ADa
///     A ← B: Yb, ADb
///     A → B: confirmation
///     A ← B: confirmation
public struct CPaceInitiator: ~Copyable {
    /// What is sent first.
    public let message: CPaceMessage
    private let scalar: GroupScalar
    private let context: CPaceContext
    private let primitives: PairingPrimitives

    /// Starts a run, with a scalar from 32 bytes of `random` (R25.5-1).
    /// - Parameters:
    ///   - password: The code in its normal form (SPEC §25.4).
    ///   - context: The link, and who is who.
    ///   - associatedData: What the local frame holds beside the share.
    ///   - primitives: The primitives.
    ///   - random: Where the scalar comes from.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public init(
        password: borrowing Secret, context: CPaceContext, associatedData: [UInt8], primitives: PairingPrimitives,
        random: inout any RandomSource
    ) throws(CryptoFailure) {
        let scalar = try primitives.group.makeScalar(random: &random)
        try self.init(
            password: password, context: context, associatedData: associatedData, primitives: primitives,
            scalar: scalar)
    }

    /// With a given scalar, for known answers.
    package init(
        password: borrowing Secret, context: CPaceContext, associatedData: [UInt8], primitives: PairingPrimitives,
        scalar: consuming GroupScalar
    ) throws(CryptoFailure) {
        let generator = try CPaceSteps.generator(password, context, primitives)
        let share = try primitives.group.multiply(scalar, bySecret: generator)
        self.message = CPaceMessage(share: share, associatedData: associatedData)
        self.scalar = scalar
        self.context = context
        self.primitives = primitives
    }

    /// Takes the responder's message. SPEC §25.5
    /// - Throws: ``CryptoFailure/malformedKey`` for a share that is no element, or gives the identity (R25.5-2);
    ///   ``CryptoFailure/outOfSecretMemory``.
    public consuming func receive(_ answer: CPaceMessage) throws(CryptoFailure) -> CPaceConfirming {
        let (own, context, primitives) = (message, context, primitives)
        let product = try primitives.group.multiply(scalar, by: answer.share)
        return CPaceConfirming(
            try CPaceConfirmations(product: product, context, from: own, and: answer, primitives))
    }
}

/// CPace's A once it knows both shares. Its own confirmation may go; the peer's has to come.
public struct CPaceConfirming: ~Copyable {
    private let confirmations: CPaceConfirmations

    init(_ confirmations: consuming CPaceConfirmations) {
        self.confirmations = confirmations
    }

    /// What the local peer sends, 32 bytes. The code is burned first (SPEC §25.5).
    public var confirmation: [UInt8] { confirmations.initiator.withBytes { [UInt8](copying: $0) } }

    /// Checks the responder's confirmation. When it returns, both parties had the same password, context and messages.
    /// - Throws: ``CryptoFailure/authenticationFailed`` for another one (R25.5-3).
    public consuming func finish(_ received: [UInt8]) throws(CryptoFailure) {
        guard confirmations.responder.equals(received) else { throw .authenticationFailed }
    }
}
