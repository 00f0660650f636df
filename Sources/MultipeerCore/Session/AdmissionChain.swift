package import MultipeerCrypto
package import MultipeerWire

/// A chain of admissions that is valid for one member of one session (SPEC §14.2). Only verifying and admitting make one.
package struct AdmissionChain: Hashable, Sendable {
    /// The admissions, the member's own first. Empty for the founder.
    package let admissions: [Admission]
    /// The member that it admits.
    package let member: IdentityKey

    private static let label = "multipeer/1 admission"

    /// The founder's own.
    package init(founderOf session: SessionCharter) {
        admissions = []
        member = session.founder
    }

    private init(_ admissions: [Admission], of member: IdentityKey) {
        self.admissions = admissions
        self.member = member
    }

    /// Checks a chain (R14.2-1). Nil if it is not valid for `member`. What costs little is looked at first.
    package init?(
        verifying chain: [Admission], for member: IdentityKey, in session: SessionCharter,
        with verified: inout VerifiedAdmissions
    ) {
        let most = session.parameters.admitters == .founder ? 1 : Admission.maximumChainCount
        guard member != session.founder else {
            guard chain.isEmpty else { return nil }
            self.init(founderOf: session)
            return
        }
        guard (1...most).contains(chain.count), chain.last?.admitter == session.founder.rawBytes else { return nil }
        var admitted = member.rawBytes
        for admission in chain {
            guard verified.isValid(admission, of: admitted, in: session) else { return nil }
            admitted = admission.admitter
        }
        self.init(chain, of: member)
    }

    /// Checks a chain that came on a link, by itself: at most eight signatures (R8.2-8, R14.5-1).
    /// - Throws: `entry_invalid`.
    static func check(
        _ chain: [Admission], of member: IdentityKey, in charter: Charter, _ crypto: CryptoProvider
    ) throws(LinkFailureCause) {
        let session: SessionCharter
        do {
            session = try SessionCharter(charter, hashing: crypto.hashing)
        } catch {
            throw LinkFailureCause(error)
        }
        var verified = VerifiedAdmissions(verifier: crypto.signatures)
        guard AdmissionChain(verifying: chain, for: member, in: session, with: &verified) != nil else {
            throw .violation(.entryInvalid)
        }
    }

    /// Whether its member may admit others (R14.1-2, R14.2-2).
    package func mayAdmit(in session: SessionCharter) -> Bool {
        admissions.count < Admission.maximumChainCount
            && (session.parameters.admitters == .everyMember || member == session.founder)
    }

    /// The chain of a newcomer that this member admits; nil if it may not. The founder's own is empty.
    /// - Throws: ``CryptoFailure`` of the signer, whose key must be this member's.
    package func admitting(
        _ newcomer: IdentityKey, by signer: any IdentitySigner, in session: SessionCharter
    ) throws(CryptoFailure) -> AdmissionChain? {
        if newcomer == session.founder { return AdmissionChain(founderOf: session) }
        guard mayAdmit(in: session) else { return nil }
        let message = Self.message(admitting: newcomer.rawBytes, to: session)
        let admission = Admission(admitter: member.rawBytes, signature: try signer.sign(message.span))
        return AdmissionChain([admission] + admissions, of: newcomer)
    }

    /// What an admitter signs.
    static func message(admitting key: [UInt8], to session: SessionCharter) -> [UInt8] { session.signed(label, key) }
}

/// Verifies admissions of one session, and remembers which it has verified: members share most of their chains (SPEC §19).
package struct VerifiedAdmissions: Sendable {
    /// How many are remembered.
    static let capacity = 512

    private struct Known: Hashable, Sendable {
        let admission: Admission
        let admitted: [UInt8]
    }

    private let verifier: any IdentitySignatureVerifier
    private var known: Set<Known> = []
    /// The same in their order; the oldest is overwritten.
    private var order: [Known] = []
    private var next = 0
    /// How many signatures were verified.
    package private(set) var verifications = 0

    package init(verifier: any IdentitySignatureVerifier) {
        self.verifier = verifier
    }

    /// Whether a signature over a message is a key's (SPEC §9.6).
    mutating func isValid(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        guard let key = try? IdentityKey(rawBytes: key) else { return false }
        verifications += 1
        return verifier.isValid(signature.span, of: message.span, by: key)
    }

    mutating func isValid(_ admission: Admission, of admitted: [UInt8], in session: SessionCharter) -> Bool {
        let entry = Known(admission: admission, admitted: admitted)
        if known.contains(entry) { return true }
        let message = AdmissionChain.message(admitting: admitted, to: session)
        guard isValid(admission.signature, of: message, by: admission.admitter) else { return false }
        remember(entry)
        return true
    }

    private mutating func remember(_ entry: Known) {
        known.insert(entry)
        guard order.count == Self.capacity else { return order.append(entry) }
        known.remove(order[next])
        order[next] = entry
        next = (next + 1) % Self.capacity
    }
}
