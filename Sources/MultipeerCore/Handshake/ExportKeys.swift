import MultipeerCrypto

/// What the exporter of a link works with (SPEC §9.8): x from Split() on, the exporter secret once both identities are
/// proved, and nothing once the link has ended.
///
/// A class, because the channel that holds it is copied from state to state.
final class ExportKeys {
    private var material: Secret?
    private var exporter: Exporter?

    /// Without keys, where only proofs are judged.
    init() {}

    init(material: consuming Secret) { self.material = consume material }

    /// With an exporter secret that is known, for test vectors.
    init(exporterSecret: consuming Secret, hashing: any Hashing) {
        exporter = Exporter(secret: exporterSecret, hashing: hashing)
    }

    /// Both proofs are verified. x is gone afterwards (R9.8-2).
    func bind(
        handshakeHash: Digest, initiator: IdentityKey, responder: IdentityKey, hashing: any Hashing
    ) throws(CryptoFailure) {
        guard let material = material.take() else { return }
        exporter = try Exporter(
            material: material, handshakeHash: handshakeHash, initiator: initiator, responder: responder,
            hashing: hashing)
    }

    /// - Returns: Nil when there is no exporter secret, or no longer.
    func export(label: [UInt8], context: [UInt8], length: Int) throws(CryptoFailure) -> [UInt8]? {
        try exporter?.export(label: label, context: context, length: length)
    }

    /// The 32 bytes of an export, in guarded memory.
    /// - Returns: Nil when there is no exporter secret, or no longer.
    func secret(label: [UInt8]) throws(CryptoFailure) -> SharedSecret? {
        guard let secret = try secret(label: label, context: []) else { return nil }
        return SharedSecret(secret)
    }

    /// The same for a context, in memory of its own.
    /// - Returns: Nil when there is no exporter secret, or no longer.
    func secret(label: [UInt8], context: [UInt8]) throws(CryptoFailure) -> Secret? {
        try exporter?.secret(label: label, context: context)
    }

    /// The link has ended (R9.8-2).
    func destroy() {
        material = nil
        exporter = nil
    }

    /// Whether no secret is left.
    var isEmpty: Bool { material == nil && exporter == nil }
}
