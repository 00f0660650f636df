public import MultipeerCrypto
public import MultipeerWire

extension Charter {
    /// A charter whose session identifier is lesser than another one, or greater: that decides which of two crossing INVITEs wins
    /// (SPEC §8.6).
    public static func founded(
        by founder: [UInt8], lesser: Bool, than other: SessionID, parameters: [Field] = [], hashing: any Hashing
    ) -> Charter {
        for number in 0..<UInt32(1 << 20) {
            let nonce = (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * ($0 % 4))) }
            let charter = Charter(founder: founder, nonce: nonce, parameters: parameters)
            if (SessionID(charter, hashing: hashing) < other) == lesser { return charter }
        }
        // One in 2^20 identifiers is so near to the end of the range that this comes to be.
        return Charter(founder: founder, nonce: Array(1...32), parameters: parameters)
    }
}

extension Invite {
    /// Reads an INVITE from the whole frame.
    /// - Throws: ``WireError`` if the bytes are no frame, or the payload is not that of an INVITE.
    public init(frame: [UInt8]) throws(WireError) {
        var cursor = FrameCursor(frame.span)
        guard let frame = try cursor.next() else { throw WireError(.truncated, in: .frameType) }
        try self.init(payload: frame.payload)
    }
}

extension ScriptedPeer {
    /// The charter of a session that the scripted peer founds, whose INVITE wins against another INVITE that crosses it, or is void.
    /// - Parameter other: The other INVITE, the whole frame.
    public func ownCharter(winning: Bool, against other: [UInt8]) throws(WireError) -> Charter {
        Charter.founded(
            by: identity.identityKey.rawBytes, lesser: winning,
            than: SessionID(try Invite(frame: other).charter, hashing: crypto.hashing), hashing: crypto.hashing)
    }
}
