import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerStorage

/// What the options say of both peers. The files that they name are read when they are needed.
struct DoctorPolicy: Sendable {
    let options: PolicyOptions
    let expected: IdentityKey?
    let store: StoreOptions

    /// The local trust policy, without creating anything in the store.
    func trust() throws(CommandFailure) -> TrustPolicy {
        let store = try store.open()
        guard !options.trust.trustOnFirstUse else { return .firstUse(path: store.knownPeersPath) }
        return try options.trust.policy(expecting: expected, store: store)
    }

    /// A validator that remembers nobody on the disk.
    func validator() throws(CommandFailure) -> any CertificateValidator {
        let policy = try trust()
        guard case .firstUse(let path) = policy else { return try policy.validator() }
        return TrustOnFirstUseValidator(store: TentativeKnownPeers(KnownPeersFile(path: path)))
    }

    func own() throws(CommandFailure) -> SidePolicy {
        let trust: SidePolicy.Trust =
            switch try trust() {
            case .nobody: .nobody
            case .anchors(let bundle, let file, _): .authorities(bundle.anchors, file: file)
            case .pins(let pins): .keys(pins)
            case .firstUse: .firstUse
            case .unverified: .everybody
            }
        return SidePolicy(
            encryption: options.encryption.preference,
            shown: try options.certificate.map { (path) throws(CommandFailure) in try Self.chain(path) } ?? .nothing,
            trust: trust)
    }

    /// What the options say of the remote peer; nil if they say nothing.
    func stated() throws(CommandFailure) -> SidePolicy? {
        guard options.peerEncryption != nil || options.peerCertificate != nil || options.peerTrust != nil else {
            return nil
        }
        var policy = SidePolicy(encryption: options.peerEncryption?.preference)
        if let path = options.peerCertificate { policy.shown = path == "none" ? .nothing : try Self.chain(path) }
        if let file = options.peerTrust {
            policy.trust = .authorities(try CertificateInput.bundle(at: file).anchors, file: file)
        }
        return policy
    }

    private static func chain(_ path: String) throws(CommandFailure) -> SidePolicy.Shown {
        let certificates = try CertificateInput.anchors(at: path)
        do throws(CertificateChainError) {
            return .chain(try UnverifiedCertificateChain(certificates))
        } catch {
            throw CommandFailure(.chain(error), file: path)
        }
    }
}
