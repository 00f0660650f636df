import MultipeerCertificates
import MultipeerCrypto
import Synchronization

/// Remembers which paths GnuTLS has found valid, so that a peer that comes back costs no verification of signatures
/// (docs/decisions/0026).
///
/// GnuTLS's verdict depends on the bytes of a path and on nothing else: its checks of time are off, and it is asked for no name
/// and no purpose. Only valid paths are held, so that strangers without a certificate of an authority leave nothing here.
final class VerifiedPaths: Sendable {
    private struct State {
        var held: Set<Digest> = []
        /// The same, each at the place at which it will be replaced.
        var ring: [Digest] = []
        var oldest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many are held. Beyond that the oldest goes. With none, GnuTLS is asked each time.
    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.held.count } }

    /// - Throws: what GnuTLS found.
    func verify(_ path: CandidatePath) throws(CertificateRejection) {
        let digest = limit > 0 ? path.digest : nil
        if let digest, contains(digest) { return }
        try GnuTLSPathVerifier.check(path)
        if let digest { insert(digest) }
    }

    func contains(_ digest: Digest) -> Bool { state.withLock { $0.held.contains(digest) } }

    func insert(_ digest: Digest) {
        state.withLock { state in
            guard state.held.insert(digest).inserted else { return }
            guard state.ring.count == limit else { return state.ring.append(digest) }
            state.held.remove(state.ring[state.oldest])
            state.ring[state.oldest] = digest
            state.oldest = (state.oldest + 1) % limit
        }
    }
}

extension CandidatePath {
    /// SHA-256 over the certificates, the anchor last. DER says where each ends, so that no two paths have the same bytes. Nil
    /// if GnuTLS does not hash.
    var digest: Digest? {
        guard let digester = try? GnuTLSBulkDigest().makeDigester() else { return nil }
        for certificate in certificates { digester.update(certificate.certificate.der.span) }
        return try? digester.finish()
    }
}
