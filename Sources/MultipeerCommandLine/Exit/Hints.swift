import Multipeer
import MultipeerCertificates
package import MultipeerCore
package import MultipeerCrypto
import MultipeerWire

/// Remedies that name options of the command line, which the link does not know.
package enum Hints {
    /// For which commands a remedy is: it may name only options that these have.
    package enum Command {
        /// `multipeer-lab connect` and `listen`, and `doctor --peer`.
        case link
        case chat
        /// `send`, `receive`, `pair` and `verify`, which trust on first use.
        case nearby
    }

    /// Returns a remedy, or nil if the link's own remedy is enough.
    package static func remedy(
        _ failure: LinkFailure, _ peer: PeerID?, _ policy: TrustPolicy, for command: Command
    ) -> String? {
        switch (command, failure.cause) {
        case (.nearby, .certificate(let rejection)): remedyNearby(rejection)
        case (.nearby, .peerClosed(.certificateRequired)):
            "Use a command that shows a certificate: multipeer chat --certificate PEM --key PEM"
        case (.nearby, .peerClosed(.certificateRejected)):
            "Ask the remote person: the peer may know another key under this name (multipeer peers list and "
                + "multipeer peers forget there), or show another name: --name NAME"
        case (.nearby, .limit), (.nearby, .invitation), (.chat, .invitation(.noAnswer)): nil
        default: remedy(failure, peer, policy)
        }
    }

    private static func remedyNearby(_ rejection: CertificateRejection) -> String? {
        switch rejection {
        case .similarName, .tooManyFirstUses:
            "Verify the key of the peer that you mean, by a code: multipeer pair here, multipeer pair CODE there"
        default: remedy(rejection, nil, .firstUse(path: ""))
        }
    }

    private static func remedy(_ failure: LinkFailure, _ peer: PeerID?, _ policy: TrustPolicy) -> String? {
        switch failure.cause {
        case .certificate(let rejection): remedy(rejection, peer, policy)
        case .violation(.ownIdentity), .peerClosed(.ownIdentity):
            "Connect to another peer. If both peers are on one machine, give one of them another --store DIR"
        case .incompatible(.encryptionPolicy(.none, _)): "Allow encryption here: --encryption optional"
        case .incompatible(.encryptionPolicy): "Ask the remote person to allow encryption: --encryption optional"
        case .peerClosed(.certificateRequired): "Show a certificate: --certificate PEM --key PEM"
        case .peerClosed(.certificateRejected):
            "Ask the remote person to trust you by --pin with your peer ID or fingerprint, or show another "
                + "certificate"
        case .limit(.sendingStalled), .limit(.receivingStalled):
            "Make sure that the peer still runs and is reachable, or wait longer (--stall-timeout)"
        case .invitation(.noAnswer) where failure.stage == .invited:
            "Answer the question sooner, or let it wait longer (--answer-within)"
        case .invitation(.noAnswer): "Make sure that the remote person is there, or wait longer (--timeout)"
        default: nil
        }
    }

    private static func remedy(_ rejection: CertificateRejection, _ peer: PeerID?, _ policy: TrustPolicy) -> String? {
        switch (rejection, policy) {
        case (.refusedByApplication, .nobody):
            "Say whom to trust: --trust PEM, --trust-on-first-use, or, if it is the peer that you "
                + "mean, --pin \(peer.map(\.key.description) ?? "PEER-ID")"
        case (.missing, .anchors): "Ask the remote person to show a certificate: --certificate PEM --key PEM"
        case (.unknownAuthority, .anchors(_, let file, _)):
            "Add the peer's authority to \(SafeText.escape(file)), if you trust it"
        case (.identityChanged, .firstUse), (.addressChanged, .firstUse):
            "Ask the remote person why; if the change is right, forget the peer that is remembered: "
                + "multipeer peers list, multipeer peers forget PEER-ID"
        case (.similarName, .firstUse), (.tooManyFirstUses, .firstUse):
            "Compare keys with the remote person; if this is the peer that you mean, trust it by "
                + "--pin \(peer.map(\.key.description) ?? "PEER-ID")"
        case (.storeFull, .firstUse):
            "Forget peers that you do not need: multipeer peers list, multipeer peers forget PEER-ID"
        case (.nameHidden, .anchors): "Ask the remote person to show you the peer's name: --show-name-to PEER-ID"
        case (.pinMismatch, .pins):
            "Compare keys with the remote person; this peer is \(peer.map(\.key.description) ?? "unknown")"
        default: nil
        }
    }
}
