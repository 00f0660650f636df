/// The byte strings that both sides hash or sign, put together as SPEC.md says.
public enum SignedBytes {
    /// The prologue of the handshake (SPEC §9.1): both openings without their Noise messages.
    public static func prologue(initiator: [UInt8], responder: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0] + initiator + responder
    }

    /// What a PROOF signs (SPEC §9.5).
    public static func proof(
        role: StreamRole, hash: [UInt8], key: [UInt8], label: String = "multipeer/1 identity proof"
    ) -> [UInt8] {
        Array(label.utf8) + [0, role.byte] + hash + key
    }

    /// What the key of a leaf certificate signs (SPEC §10.3).
    public struct Binding {
        public var hash: [UInt8]
        /// The identity keys.
        public var initiator: [UInt8]
        public var responder: [UInt8]
        public var inviter: StreamRole
        /// Whole frames.
        public var invite: [UInt8]
        public var accept: [UInt8]

        public init(
            hash: [UInt8], initiator: [UInt8], responder: [UInt8], inviter: StreamRole, invite: [UInt8],
            accept: [UInt8]
        ) {
            (self.hash, self.initiator, self.responder) = (hash, initiator, responder)
            (self.inviter, self.invite, self.accept) = (inviter, invite, accept)
        }

        public func bytes(
            signer: StreamRole, chain: [[UInt8]], sha256: ([UInt8]) -> [UInt8]
        ) -> [UInt8] {
            let transcript = sha256(hash + initiator + responder + [inviter.byte] + invite + accept)
            return Array("multipeer/1 certificate binding".utf8) + [0, signer.byte] + transcript
                + sha256(chain.flatMap(WireBytes.vector))
        }
    }
}
