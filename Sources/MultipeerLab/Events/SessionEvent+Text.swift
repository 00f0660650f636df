import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTerminal
import MultipeerWire

extension SessionEvent {
    /// Returns the event as text for people. All text of the peer is escaped.
    func text(_ palette: Palette) -> String {
        switch self {
        case .connected(let address): "connected" + (address.map { ": \(SafeText.escape($0))" } ?? "")
        case .identified(let peer): "identified: \(peer.text(palette))"
        case .invited(let peer, let invitation): "invited by \(peer.text(palette)); \(invitation.text)"
        case .invitationAccepted(let outcome): "the peer accepts; payload will be \(outcome.name)"
        case .opened(let summary): summary.text(palette)
        case .message(let bytes): "message: \(SafeText.message(bytes))"
        case .fileOffered(let name, _, let size, let isAccepted):
            "file offered: \(SafeText.escape(name)), \(size) bytes: \(isAccepted ? "accepted" : "declined")"
        case .fileResumed(let direction, let name, let offset, let size):
            "file resumed: \(SafeText.escape(name)), \(direction == .sent ? "the peer has" : "this peer has") "
                + "\(offset) of \(size) bytes already"
        case .fileProgress(let progress): "\(SafeText.escape(progress.name)): \(progress.percent) %"
        case .fileReceived(_, let path, let size, _, let isKept):
            "\(palette.green("file received:")) \(SafeText.escape(path)), \(ByteCount.text(size))"
                + (isKept ? Self.identical : "")
        case .fileSent(_, let path, let size, _, let leftOut, let isKept):
            "\(palette.green("file sent:")) \(SafeText.escape(path)), \(ByteCount.text(size))"
                + OmittedMembers.endText(leftOut)
                + (isKept ? Self.identical : "")
        case .leftOut(let name, let omitted):
            palette.yellow(OmittedMembers.countText(omitted.count, in: name) + ":") + " \(omitted.text)"
        case .namesDiffer(let direction, let name, let renaming):
            palette.yellow("\(SafeText.escape(name)):") + " "
                + renaming.text(name, direction == .sent ? "at the peer" : "here")
        case .fileFailed(_, _, let failure): "\(palette.red("file failed:")) \(failure.reason)"
        case .streamSent(let name, let size):
            "\(palette.green("stream sent:")) \(SafeText.escape(name)), \(size) bytes"
        case .streamReceived(let name, let size):
            "\(palette.green("stream received:")) \(SafeText.escape(name)), \(size) bytes"
        case .streamFailed(_, _, let failure): "\(palette.red("stream failed:")) \(failure.reason)"
        case .closed: "closed"
        }
    }

    /// After a file that its receiver has had already.
    private static let identical = " (identical, kept)"

    /// Returns the keys and hashes.
    func details(_ palette: Palette) -> String {
        switch self {
        case .identified(let peer): palette.dim("\n  peer ID \(peer.key)")
        case .invited(let peer, let invitation):
            palette.dim("\n  peer ID \(peer.key)")
                + (invitation.isNewSession ? "" : palette.dim("\n  session \(invitation.session)"))
        case .opened(let summary):
            palette.dim(
                """

                  peer ID \(summary.peer.key)
                  session \(summary.session)
                  handshake hash \(Hex.encode(summary.handshakeHash.rawBytes))
                """)
        case .fileReceived(_, _, let size, let digest, _), .fileSent(_, _, let size, let digest, _, _):
            palette.dim(", \(size) bytes, sha256 \(Hex.encode(digest.rawBytes))")
        case .connected, .invitationAccepted, .message, .fileOffered, .fileResumed, .fileProgress, .fileFailed,
            .streamSent, .streamReceived, .streamFailed, .closed, .namesDiffer,
            .leftOut:
            ""
        }
    }

    var leastVerbosity: Verbosity {
        switch self {
        case .message, .fileFailed, .streamFailed: .quiet
        // A file has one line, at its end.
        case .fileOffered(_, _, _, let isAccepted): isAccepted ? .verbose : .usual
        case .connected, .invitationAccepted: .verbose
        case .identified, .invited, .opened, .fileResumed, .fileProgress, .fileReceived, .fileSent, .namesDiffer,
            .leftOut,
            .streamSent, .streamReceived, .closed:
            .usual
        }
    }
}

extension ReceivedInvitation {
    /// The terms of the invitation as text.
    var text: String {
        "\(isNewSession ? "a new session" : "session \(session)"), encryption \(encryption.name), \(showsCertificate ? "with" : "without") a certificate"
            + (context.isEmpty ? "" : ", context \(SafeText.preview(context, limit: 200))")
    }
}

extension LinkSummary {
    fileprivate func text(_ palette: Palette) -> String {
        let basis =
            trust.isVerified
            ? palette.green("verified") : trust.isRemembered ? "remembered" : palette.yellow("NOT VERIFIED")
        return """
            session open with \(peer.text(palette))
              \(basis) (\(trust.words)), payload \(encryption.name), \(suite.name)
            """
    }
}

extension TrustBasis {
    /// The reason why the peer was accepted, in a clause.
    fileprivate var words: String {
        switch self {
        case .trustAnchor: "its certificate leads to a trusted authority"
        case .pinnedKey: "its key is pinned"
        case .firstUse: "first use: its keys are remembered from now on"
        case .remembered: "its keys are the remembered ones"
        case .verified(let verification): verification.words
        case .application: "the app accepts it"
        case .unverified: "every peer is accepted"
        }
    }
}
