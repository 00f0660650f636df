package import MultipeerCrypto
package import MultipeerWire

/// An entry whose signatures verify (SPEC §14.3). Only verifying and signing make one.
package struct VerifiedEntry: Hashable, Sendable {
    /// The entry.
    package let entry: RosterEntry
    /// The member that it speaks of.
    package let member: IdentityKey
    /// All bytes, as they are passed on.
    package let encoded: [UInt8]
    /// SHA-256 over all bytes, 32 bytes: the entry hash.
    package let hash: [UInt8]

    private static let label = "multipeer/1 roster entry"

    private init(_ entry: RosterEntry, _ member: IdentityKey, encoded: [UInt8], hash: [UInt8]) {
        self.entry = entry
        self.member = member
        self.encoded = encoded
        self.hash = hash
    }

    /// Checks the signature and the chain (R14.3-2). Nil if one of them fails.
    package init?(
        verifying entry: RosterEntry, in session: SessionCharter, with verified: inout VerifiedAdmissions,
        hashing: any Hashing
    ) {
        let content = entry.content
        guard let member = try? IdentityKey(rawBytes: content.member),
            verified.isValid(entry.signature, of: Self.message(content, session), by: content.member),
            AdmissionChain(verifying: content.chain, for: member, in: session, with: &verified) != nil
        else { return nil }
        let encoded = entry.encoded
        self.init(entry, member, encoded: encoded, hash: Self.hash(of: encoded, hashing))
    }

    /// Signs an entry of one's own.
    /// - Throws: ``CryptoFailure`` of the signer, whose key must be `content.member`.
    package static func signed(
        _ content: RosterEntry.Content, by signer: any IdentitySigner, in session: SessionCharter,
        hashing: any Hashing
    ) throws(CryptoFailure) -> VerifiedEntry {
        let entry = RosterEntry(content, signature: try signer.sign(message(content, session).span))
        let encoded = entry.encoded
        return VerifiedEntry(entry, signer.identityKey, encoded: encoded, hash: hash(of: encoded, hashing))
    }

    /// What a member signs.
    static func message(_ content: RosterEntry.Content, _ session: SessionCharter) -> [UInt8] {
        session.signed(label, content.encoded)
    }

    static func hash(of encoded: [UInt8], _ hashing: any Hashing) -> [UInt8] {
        let nothing: [UInt8] = []
        return hashing.hash(encoded.span, nothing.span).rawBytes
    }

    /// What orders the entries of one member.
    package var version: EntryVersion {
        EntryVersion(instance: entry.content.instance, sequence: entry.content.sequence, hash: hash)
    }

    /// The entry in SUMMARY.
    package var item: Summary.Item {
        Summary.Item(
            member: member.rawBytes, instance: entry.content.instance, sequence: entry.content.sequence, entryHash: hash
        )
    }
}

/// Which of the entries of one member counts: the greatest (SPEC §14.4).
package struct EntryVersion: Hashable, Sendable, Comparable {
    package let instance: UInt64
    package let sequence: UInt64
    /// The entry hash, 32 bytes.
    package let hash: [UInt8]

    package init(instance: UInt64, sequence: UInt64, hash: [UInt8]) {
        self.instance = instance
        self.sequence = sequence
        self.hash = hash
    }

    package init(_ item: Summary.Item) {
        self.init(instance: item.instance, sequence: item.sequence, hash: item.entryHash)
    }

    package static func < (left: EntryVersion, right: EntryVersion) -> Bool {
        if left.instance != right.instance { return left.instance < right.instance }
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        return left.hash.lexicographicallyPrecedes(right.hash)
    }

    /// Whether the member signed both under one number, which it must not (R14.3-4).
    func contradicts(_ other: EntryVersion) -> Bool {
        instance == other.instance && sequence == other.sequence && hash != other.hash
    }
}
