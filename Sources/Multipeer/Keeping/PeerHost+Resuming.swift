import MultipeerCore
import MultipeerCrypto
import MultipeerNIO

extension PeerHost {
    /// Takes part again in the session that an earlier run has kept.
    func resume(_ session: SessionCore, _ memory: SessionMemory) async throws(MultipeerError) {
        guard registry.session(SessionID(memory.charter, hashing: identity.crypto.hashing)) == nil else {
            throw .session(.inUse)
        }
        let (registry, terms, group) = (registry, session.terms, session.group)
        do throws(NodeRequestError) {
            try await node.perform { (node, now) throws(NodeRequestError) in
                let id = try node.join(memory, in: group, at: now)
                registry.register(session, as: id)
                try node.setMemberTerms(terms, in: id)
                // It may have been left, without being forgotten, in this same run.
                try node.comeBack(to: id, at: now)
            }
        } catch {
            if case .crypto(let failure) = error { throw .session(.crypto(failure)) }
            throw .session(.notMember)
        }
    }
}
