import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// Tells the person of every peer that a validator refuses. A peer that comes under somebody else's name would
/// otherwise be turned away in silence, be it an impostor or the one that is meant.
struct RefusalTelling: CertificateValidator {
    let base: any CertificateValidator
    let output: Output

    var judgesAfterPeer: Bool { base.judgesAfterPeer }

    func recognizes(_ peer: PeerID) async -> Bool { await base.recognizes(peer) }

    func verify(_ evidence: PeerEvidence) async -> Verdict {
        let verdict = await base.verify(evidence)
        // What nobody waits for any more was not refused.
        if case .rejected(let rejection) = verdict, !Task.isCancelled, output.hearsStranger() {
            output.report(RefusedEvent(peer: evidence.peer, rejection: rejection))
        }
        return verdict
    }
}

/// A peer that was refused (docs/command-line.md).
struct RefusedEvent: Report {
    let peer: PeerID
    let rejection: CertificateRejection

    var members: [(String, JSON)] {
        [
            ("event", .string("refused")), ("peer", .string(peer.key.description)), ("name", peer.jsonName),
            ("reason", .string(rejection.reason)), ("remedy", .string(rejection.remedy)),
        ]
    }

    func details(_ palette: Palette) -> String { palette.dim(", key \(peer.key)") }

    func text(_ palette: Palette) -> String {
        "\(palette.yellow("refused")) \(SafeText.escape(peer.shownName)) (\(peer.key.description.prefix(8))…): \(rejection.reason)"
    }
}
