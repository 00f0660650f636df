package import MultipeerWire

/// The bytes that members sign (SPEC §14.2, §14.3), for test vectors.
package enum SessionAccess {
    /// What an admitter signs.
    package static func admissionMessage(admitting key: [UInt8], to session: SessionCharter) -> [UInt8] {
        AdmissionChain.message(admitting: key, to: session)
    }

    /// What a member signs of its entry.
    package static func entryMessage(_ content: RosterEntry.Content, in session: SessionCharter) -> [UInt8] {
        VerifiedEntry.message(content, session)
    }
}
