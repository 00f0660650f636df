import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerTransfers
import MultipeerWire

/// What one peer wants of a session, as far as it is known.
struct SidePolicy: Sendable {
    /// Whether a certificate is shown.
    enum Shown: Sendable {
        case unknown, nothing
        case chain(UnverifiedCertificateChain)
    }

    /// The peers that it trusts.
    enum Trust: Sendable {
        case unknown, everybody, nobody
        /// The peer that comes first under a name.
        case firstUse
        case keys(Set<PinnedKeyValidator.Pin>)
        case authorities([Certificate], file: String)
    }

    var encryption: EncryptionPreference?
    var shown = Shown.unknown
    var trust = Trust.unknown

    /// Clauses for people.
    var words: [String] {
        [encryptionWords, shownWords, trustWords].compactMap { $0 }
    }

    private var encryptionWords: String? { encryption.map { "encryption \($0.name)" } }

    private var shownWords: String? {
        switch shown {
        case .unknown: nil
        case .nothing: "shows no certificate"
        case .chain: "shows a certificate"
        }
    }

    private var trustWords: String? {
        switch trust {
        case .unknown: nil
        case .everybody: "trusts everybody"
        case .nobody: "trusts nobody"
        case .firstUse: "trusts on first use"
        case .keys(let pins): "trusts \(pins.count) pinned \(pins.count == 1 ? "key" : "keys")"
        case .authorities(_, let file): "trusts the authorities of \(SafeText.escape(file))"
        }
    }
}

/// Whether two peers can have a session, and which of them has to change something (SPEC §10.5, §11).
enum PolicyComparison {
    private static let why = "No session opens unless the policies of both peers agree (SPEC.md, sections 10 and 11)."

    static func issues(own: SidePolicy, other: SidePolicy) -> [Issue] {
        var issues: [Issue] = []
        if let one = own.encryption, let two = other.encryption, let issue = encryption(own: one, other: two) {
            issues.append(issue)
        }
        if let issue = trust(of: own.trust, in: other.shown, isOwn: true) { issues.append(issue) }
        if let issue = trust(of: other.trust, in: own.shown, isOwn: false) { issues.append(issue) }
        return issues
    }

    /// A remedy never asks for less security.
    static func encryption(own: EncryptionPreference, other: EncryptionPreference) -> Issue? {
        guard EncryptionPolicy.outcome(own, other) == nil else { return nil }
        let remedy =
            own == .none
            ? "Allow encryption here: --encryption optional."
            : "Ask the remote person to allow encryption: --encryption optional."
        return .problem(
            "the encryption policies cannot agree: the local one is \(own.name), the remote one \(other.name)",
            why: why, remedy: remedy)
    }

    /// - Parameter isOwn: Whether the local peer judges, and the remote one is judged.
    private static func trust(of judge: SidePolicy.Trust, in shown: SidePolicy.Shown, isOwn: Bool) -> Issue? {
        let (judging, judged) = isOwn ? ("the local peer", "the peer") : ("the peer", "the local peer")
        let options = isOwn ? "" : " there"
        switch judge {
        // Without the peer's key, nobody can say whether it is a pinned or a known one.
        case .unknown, .everybody, .firstUse: return nil
        case .nobody:
            return .warning(
                "\(judging) trusts nobody", why: why,
                remedy: "Say whom to trust\(options): --trust PEM, --pin KEY or --trust-on-first-use.")
        case .keys(let pins): return pinned(pins, shown, isOwn: isOwn)
        case .authorities(let anchors, let file):
            switch shown {
            case .unknown: return nil
            case .nothing:
                return .problem(
                    "\(judging) trusts authorities alone, and \(judged) shows no certificate", why: why,
                    remedy: isOwn
                        ? "Ask the remote person to show a certificate: --certificate PEM --key PEM."
                        : "Show a certificate: --certificate PEM --key PEM.")
            case .chain(let chain):
                return rejection(of: chain, anchors).map { rejection in
                    .problem(
                        "\(judging) refuses the certificate of \(judged): \(rejection.reason)", why: why,
                        remedy: remedy(rejection, file: file, isOwn: isOwn))
                }
            }
        }
    }

    private static func pinned(
        _ pins: Set<PinnedKeyValidator.Pin>, _ shown: SidePolicy.Shown, isOwn: Bool
    ) -> Issue? {
        // A pinned identity may be the peer's.
        let hasIdentities = pins.contains { if case .identity = $0 { true } else { false } }
        guard !hasIdentities, case .chain(let chain) = shown,
            let fingerprint = try? CertificateLoader.fingerprint(of: chain.leaf), !pins.contains(.leaf(fingerprint))
        else { return nil }
        return .problem(
            "\(isOwn ? "the local peer" : "the peer") trusts pinned keys alone, and this certificate has another one",
            why: why,
            remedy: "Compare keys with the remote person, and pin the right one: --pin \(fingerprint).")
    }

    static func rejection(of chain: UnverifiedCertificateChain, _ anchors: [Certificate]) -> CertificateRejection? {
        guard let validator = try? GnuTLSPathValidator(anchors: anchors, clock: SystemClock.wall) else {
            return .malformed
        }
        do throws(CertificateRejection) {
            _ = try validator.validate(chain, requirements: PathRequirements())
            return nil
        } catch {
            return error
        }
    }

    private static func remedy(_ rejection: CertificateRejection, file: String, isOwn: Bool) -> String {
        switch rejection {
        case .unknownAuthority:
            isOwn
                ? "Add the peer's authority to \(SafeText.escape(file)), if you trust it."
                : "Show a certificate of an authority in \(SafeText.escape(file)), or ask the peer to trust yours."
        case .expired, .notYetValid:
            isOwn
                ? "Have the peer renew its certificate, and check the clocks of both hosts."
                : "Renew the local certificate, and check the clocks of both hosts."
        default:
            isOwn
                ? "Have the peer use another certificate."
                : "Use another certificate; `multipeer doctor --only certificates` says what is wrong with this one."
        }
    }
}
