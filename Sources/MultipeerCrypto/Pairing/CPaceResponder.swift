internal import MultipeerWire

/// CPace's B: the presenter of a one-time code (SPEC §25.5).
///
/// It has its own confirmation from the beginning, and gives it away for the right one of the initiator only (R25.5-4).
public struct CPaceResponder: ~Copyable {
    /// The answer to the initiator's message.
    public let message: CPaceMessage
    private let confirmations: CPaceConfirmations

    /// Answers a run, with a scalar from 32 bytes of `random` (R25.5-1).
    /// - Parameters:
    ///   - initiator: The initiator's message.
    ///   - password: The code in its normal form (SPEC §25.4).
    ///   - context: The link, and who is who.
    ///   - associatedData: What the local frame holds beside the share.
    ///   - primitives: The primitives.
    ///   - random: Where the scalar comes from.
    /// - Throws: ``CryptoFailure/malformedKey`` for a share that is no element, or gives the identity (R25.5-2);
    ///   ``CryptoFailure/outOfSecretMemory``.
    public init(
        answering initiator: CPaceMessage, password: borrowing Secret, context: CPaceContext, associatedData: [UInt8],
        primitives: PairingPrimitives, random: inout any RandomSource
    ) throws(CryptoFailure) {
        let scalar = try primitives.group.makeScalar(random: &random)
        try self.init(
            answering: initiator, password: password, context: context, associatedData: associatedData,
            primitives: primitives, scalar: scalar)
    }

    /// With a given scalar, for known answers.
    package init(
        answering initiator: CPaceMessage, password: borrowing Secret, context: CPaceContext, associatedData: [UInt8],
        primitives: PairingPrimitives, scalar: consuming GroupScalar
    ) throws(CryptoFailure) {
        let generator = try CPaceSteps.generator(password, context, primitives)
        let share = try primitives.group.multiply(scalar, bySecret: generator)
        let own = CPaceMessage(share: share, associatedData: associatedData)
        let product = try primitives.group.multiply(scalar, by: initiator.share)
        confirmations = try CPaceConfirmations(product: product, context, from: initiator, and: own, primitives)
        message = own
    }

    /// Checks the initiator's confirmation, and gives the own one for it. The code is burned before (SPEC §25.5).
    /// - Returns: 32 bytes to send. Both parties had the same password, context and messages.
    /// - Throws: ``CryptoFailure/authenticationFailed`` for another one (R25.5-3).
    public consuming func confirm(_ received: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        guard confirmations.initiator.equals(received) else { throw .authenticationFailed }
        return confirmations.responder.withBytes { [UInt8](copying: $0) }
    }
}
