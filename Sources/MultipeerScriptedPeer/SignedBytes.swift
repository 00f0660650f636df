/// The byte strings that both peers hash or sign, put together as SPEC.md says.
public enum SignedBytes {
    /// The prologue of the handshake (SPEC §9.1): both openings without their Noise messages.
    public static func prologue(initiator: [UInt8], responder: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0] + initiator + responder
    }

    /// What a PROOF signs (SPEC §9.5). An initiator also signs the key that it means.
    public static func proof(
        role: StreamRole, hash: [UInt8], key: [UInt8], peer: [UInt8], label: String = "multipeer/1 identity proof"
    ) -> [UInt8] {
        Array(label.utf8) + [0, role.byte] + hash + key + (role == .initiator ? peer : [])
    }

    /// A session identifier (SPEC §4.3), but for the hash.
    public static func session(charter: [UInt8]) -> [UInt8] {
        Array("multipeer/1 session".utf8) + [0] + charter
    }

    /// What an admitter signs of a member's key (SPEC §14.2), or a member of its entry (SPEC §14.3).
    public static func member(_ label: String, session: [UInt8], _ content: [UInt8]) -> [UInt8] {
        Array(label.utf8) + [0] + session + content
    }

    /// What the key of a leaf certificate signs (SPEC §10.3).
    public struct Binding {
        public var hash: [UInt8]
        /// The identity keys.
        public var initiator: [UInt8]
        public var responder: [UInt8]
        /// PEER_INFO of both, whole frames.
        public var initiatorInfo: [UInt8]
        public var responderInfo: [UInt8]
        public var inviter: StreamRole
        /// Whole frames.
        public var invite: [UInt8]
        public var accept: [UInt8]

        public init(
            hash: [UInt8], initiator: [UInt8], responder: [UInt8], initiatorInfo: [UInt8],
            responderInfo: [UInt8], inviter: StreamRole, invite: [UInt8], accept: [UInt8]
        ) {
            (self.hash, self.initiator, self.responder) = (hash, initiator, responder)
            (self.initiatorInfo, self.responderInfo) = (initiatorInfo, responderInfo)
            (self.inviter, self.invite, self.accept) = (inviter, invite, accept)
        }

        public func bytes(
            signer: StreamRole, chain: [[UInt8]], sha256: ([UInt8]) -> [UInt8]
        ) -> [UInt8] {
            let names = initiatorInfo + responderInfo
            let transcript = sha256(hash + initiator + responder + names + [inviter.byte] + invite + accept)
            return [UInt8](repeating: 0x20, count: 64) + Array("multipeer/1 certificate binding".utf8)
                + [0, signer.byte] + transcript + sha256(chain.flatMap(WireBytes.vector))
        }
    }
}
