package import MultipeerCrypto
package import MultipeerWire

/// A session as its members see it: the charter, and what follows from it (SPEC §4.3, §14.1).
package struct SessionCharter: Hashable, Sendable {
    /// What the founder made, byte by byte.
    package let charter: Charter
    /// Which session it is.
    package let id: SessionID
    /// The first member.
    package let founder: IdentityKey
    /// The rules of the session.
    package let parameters: CharterParameters

    /// Reads a charter.
    /// - Throws: ``WireError`` if its parameters are not as R14.1-1 says, or its founder is no key. One that was decoded
    ///   never throws.
    package init(_ charter: Charter, hashing: any Hashing) throws(WireError) {
        self.charter = charter
        parameters = try CharterParameters(charter)
        id = SessionID(charter, hashing: hashing)
        do {
            founder = try IdentityKey(rawBytes: charter.founder)
        } catch {
            throw WireError(.lengthOutOfRange, in: .founder)
        }
    }

    /// Whether the charters permit that two sessions unite (R14.11-1).
    func mayUnite(with other: SessionCharter) -> Bool {
        charter.parameters == other.charter.parameters && parameters.isUniting
    }

    /// A message that a member signs: a label and this session come before its content (SPEC §14.2, §14.3).
    func signed(_ label: String, _ content: [UInt8]) -> [UInt8] { Array(label.utf8) + [0] + id.rawBytes + content }
}
