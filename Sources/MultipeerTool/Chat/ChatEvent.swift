import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerStorage
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire

/// Something that happens in a chat (docs/command-line.md).
enum ChatEvent: Report {
    case connecting(PeerID)
    case connected(Member)
    case reconnecting(Member)
    case disconnected(PeerID, DisconnectReason)
    case member(Member)
    case message([UInt8], Member)
    case messageFailed(PeerID, MultipeerError)
    /// A message was under way, and did not arrive for certain.
    case messageUndelivered(PeerID, [UInt8], MessageResult)
    /// A text of `size` bytes has gone to a peer.
    case messageSent(PeerID, size: Int)
    /// A peer, remembered or not, wants to be let in, and the person answers by a line of the chat.
    case invited(PeerID, Entrance, isKnown: Bool)
    case comparisonWanted(Member)
    /// A string to compare. `answers` says whether the person answers by a line of the chat.
    case comparison(Comparison, answers: Bool)
    case verified(Member)
    case fileOffered(OfferedFile, localName: String, InvitationReply)
    /// The sender has withdrawn what nobody had answered yet.
    case fileWithdrawn(OfferedFile)
    case fileReceived(OfferedFile, StoredFile)
    case fileResumed(String, PeerID, offset: UInt64)
    /// `leftOut` says how much in a folder was not sent, and `isKept` that the peer had the same file already.
    case fileSent(String, PeerID, Digest, leftOut: Int, isKept: Bool)
    /// Something in a folder is not sent.
    case leftOut(String, PeerID, OmittedMembers)
    /// Something is not called as its sender calls it.
    case namesDiffer(String, PeerID, FileDirection, Renaming)
    case fileFailed(String, PeerID, CommandFailure)

    /// How a peer wants to be let in.
    enum Entrance: Hashable, Sendable {
        /// It invites the local peer to its own chat.
        case invitation
        /// It asks to be invited to this one.
        case visit
    }

    // MARK: For programs

    var members: [(String, JSON)] {
        switch self {
        case .connecting(let peer): Self.event("memberConnecting", peer)
        case .connected(let member): Self.event("memberConnected", member.id) + Self.trust(member)
        case .reconnecting(let member): Self.event("memberReconnecting", member.id)
        case .disconnected(let peer, let reason):
            Self.event("memberDisconnected", peer) + [
                ("departure", .string(reason.departure.name)), ("reason", .string(reason.description)),
                ("unsentMessages", .integer(UInt64(reason.undelivered.notSent))),
                ("messagesInDoubt", .integer(UInt64(reason.undelivered.inDoubt))),
            ]
        case .member(let member): Self.event("member", member.id) + Self.trust(member)
        case .message(let bytes, let member):
            Self.event("message", member.id) + [("size", .integer(UInt64(bytes.count))), JSON.textOrBase64(bytes)]
        case .messageSent(let peer, let size):
            Self.event("messageSent", peer) + [("size", .integer(UInt64(size)))]
        case .messageFailed(let peer, let failure):
            Self.event("messageFailed", peer) + [
                ("reason", .string(failure.reason)), ("remedy", .string(failure.remedy)),
            ]
        case .messageUndelivered(let peer, let bytes, let result):
            Self.event("messageUndelivered", peer) + [("result", .string(result.name)), JSON.textOrBase64(bytes)]
        case .invited(let peer, let entrance, let isKnown):
            Self.event("invited", peer) + [
                ("asksToJoin", .boolean(entrance == .visit)), ("known", .boolean(isKnown)),
            ]
        case .comparisonWanted(let member): Self.event("comparisonWanted", member.id)
        case .comparison(let comparison, _):
            Self.event("comparison", comparison.member.id) + [
                ("digits", .string(comparison.string.digits)),
                ("words", .array(comparison.string.words.map { .string($0) })),
            ]
        case .verified(let member): Self.event("memberVerified", member.id) + Self.trust(member)
        case .fileOffered(let file, let localName, let reply):
            Self.event("fileOffered", file.member.id) + [
                ("file", .string(file.name)), ("localName", .string(localName)), ("size", .integer(file.size)),
                ("accepted", .boolean(reply == .accepted)), ("answer", .string(reply.name)),
            ]
        case .fileWithdrawn(let file): Self.event("fileWithdrawn", file.member.id) + [("file", .string(file.name))]
        case .fileReceived(let file, let stored):
            Self.event("fileReceived", file.member.id) + [
                ("file", .string(file.name)), ("path", .string(stored.path)), ("size", .integer(stored.size)),
                ("sha256", .string(Hex.encode(stored.digest.rawBytes))), ("kept", .boolean(stored.isKept)),
            ]
        case .fileResumed(let path, let peer, let offset):
            Self.event("fileResumed", peer) + [("path", .string(path)), ("offset", .integer(offset))]
        case .fileSent(let path, let peer, let digest, let leftOut, let isKept):
            Self.event("fileSent", peer) + [
                ("path", .string(path)), ("sha256", .string(Hex.encode(digest.rawBytes))),
                ("leftOut", .integer(UInt64(leftOut))), ("kept", .boolean(isKept)),
            ]
        case .leftOut(let path, let peer, let omitted):
            Self.event("leftOut", peer) + [("path", .string(path))] + omitted.members
        case .namesDiffer(let file, let peer, let direction, let renaming):
            Self.event("namesDiffer", peer) + [
                ("direction", .string(direction.rawValue)), ("file", .string(file)),
            ] + renaming.members
        case .fileFailed(let name, let peer, let failure):
            Self.event("fileFailed", peer) + [
                ("file", .string(name)), ("reason", .string(failure.reason)), ("remedy", .string(failure.remedy)),
            ]
        }
    }

    private static func event(_ name: String, _ peer: PeerID) -> [(String, JSON)] {
        [("event", .string(name)), ("peer", .string(peer.key.description)), ("name", peer.jsonName)]
    }

    private static func trust(_ member: Member) -> [(String, JSON)] {
        [
            ("verified", .boolean(member.isVerified)), ("remembered", .boolean(member.isRemembered)),
            ("trust", .string(member.trust.name)), ("encryption", .string(member.encryption.name)),
        ]
    }

    // MARK: For people

    var leastVerbosity: Verbosity {
        switch self {
        case .message, .messageFailed, .messageUndelivered, .fileFailed, .invited, .comparisonWanted, .comparison,
            .verified:
            .quiet
        // A file has one line, at its end.
        case .fileOffered(_, _, let reply): reply == .accepted ? .verbose : .usual
        case .connecting, .fileResumed: .verbose
        case .connected, .reconnecting, .disconnected, .member, .fileWithdrawn, .fileReceived, .fileSent, .leftOut,
            .namesDiffer, .messageSent:
            .usual
        }
    }

    func details(_ palette: Palette) -> String {
        switch self {
        case .connecting(let peer), .disconnected(let peer, _), .invited(let peer, _, _):
            palette.dim(", key \(peer.key)")
        case .connected(let member), .reconnecting(let member): palette.dim(", key \(member.id.key)")
        case .fileOffered(let file, _, _), .fileWithdrawn(let file): palette.dim(", key \(file.member.id.key)")
        case .fileReceived(_, let stored):
            palette.dim(
                (ByteCount.exact(stored.size).map { ", \($0)" } ?? "")
                    + ", sha256 \(Hex.encode(stored.digest.rawBytes))")
        case .fileSent(_, _, let digest, _, _): palette.dim(", sha256 \(Hex.encode(digest.rawBytes))")
        case .verified(let member): palette.dim(", key \(member.id.key)")
        case .member, .message, .messageFailed, .messageUndelivered, .messageSent, .fileResumed, .fileFailed, .leftOut,
            .namesDiffer,
            .comparisonWanted, .comparison:
            ""
        }
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .connecting(let peer): palette.dim("connecting with \(Self.name(peer))")
        case .connected(let member): palette.green("\(Self.name(member.id)) is here") + Self.basis(member, palette)
        case .reconnecting(let member):
            palette.yellow("the connection to \(Self.name(member.id)) is lost:")
                + " it comes back by itself, if it can"
        case .disconnected(let peer, let reason):
            palette.yellow("\(Self.name(peer)) is gone:") + " \(SafeText.escape(reason.description))"
                + (reason.undelivered.isEmpty ? "" : "; \(reason.undelivered)")
        case .member(let member):
            "\(palette.bold(Self.name(member.id))) \(member.id.key)" + Self.basis(member, palette)
        case .message(let bytes, let member): "\(palette.bold(Self.name(member.id))): \(SafeText.message(bytes))"
        case .messageSent(let peer, _): palette.green("text sent to \(Self.name(peer))")
        case .messageFailed(let peer, let failure):
            palette.red("not sent to \(Self.name(peer)):") + " \(failure.reason)"
        case .messageUndelivered(let peer, let bytes, let result):
            palette.red(
                result == .inDoubt ? "perhaps not received by \(Self.name(peer)):" : "not sent to \(Self.name(peer)):")
                + " \(SafeText.message(bytes))"
        case .invited(let peer, let entrance, let isKnown):
            "\(Self.name(peer)) \(NewCodeQuestion.marks(peer.key, isKnown: isKnown)) "
                + (entrance == .visit ? "wants to join" : "invites you to a chat")
                + ": /accept \(ChatLine.handle(peer)), or /decline \(ChatLine.handle(peer))"
        case .comparisonWanted(let member):
            "\(Self.name(member.id)) wants to compare words: /verify \(ChatLine.handle(member.id))"
        case .comparison(let comparison, let answers):
            Self.text(comparison, palette)
                + (answers
                    ? "\n  /same \(ChatLine.handle(comparison.member.id)), or "
                        + "/differ \(ChatLine.handle(comparison.member.id))"
                    : "")
        case .verified(let member): palette.green("\(Self.name(member.id)) is verified")
        case .fileOffered(let file, _, let reply):
            "\(Self.name(file.member.id)) offers \(SafeText.escape(file.name)), \(ByteCount.text(file.size)): "
                + reply.words
        case .fileWithdrawn(let file):
            "\(Self.name(file.member.id)) no longer offers \(SafeText.escape(file.name))"
        case .fileReceived(let file, let stored):
            palette.green("file of \(Self.name(file.member.id)) received:")
                + " \(SafeText.escape(stored.path)), \(ByteCount.text(stored.size))"
                + (stored.isKept ? Self.identical : "")
        case .fileResumed(let path, let peer, let offset):
            "\(Self.name(peer)) has \(ByteCount.text(offset)) of \(SafeText.escape(path)) already"
        case .fileSent(let path, let peer, _, let leftOut, let isKept):
            palette.green("file sent to \(Self.name(peer)):") + " \(SafeText.escape(path))"
                + OmittedMembers.endText(leftOut) + (isKept ? Self.identical : "")
        case .leftOut(let path, _, let omitted):
            palette.yellow(OmittedMembers.countText(omitted.count, in: path) + ":") + " \(omitted.text)"
        case .namesDiffer(let file, let peer, let direction, let renaming):
            palette.yellow("\(SafeText.escape(file)):") + " "
                + renaming.text(file, direction == .sent ? "at \(Self.name(peer))" : "here")
        case .fileFailed(_, let peer, let failure):
            // The reason names the file.
            palette.red("file failed with \(Self.name(peer)):") + " \(failure.reason)"
        }
    }

    /// After a file that its receiver has had already.
    private static let identical = " (identical, kept)"

    private static func name(_ peer: PeerID) -> String { SafeText.escape(peer.shownName) }

    /// Digits and words, so that two people can compare whatever both of their programs show (SPEC §25.3).
    private static func text(_ comparison: Comparison, _ palette: Palette) -> String {
        let words = comparison.string.words.joined(separator: " ")
        return "\(name(comparison.member.id)) must see the same: "
            + palette.bold("\(comparison.string.groupedDigits)   \(words)")
    }

    private static func basis(_ member: Member, _ palette: Palette) -> String {
        member.isVerified ? "" : member.isRemembered ? " (remembered)" : palette.yellow(" (not verified)")
    }
}

extension Departure {
    /// The name in events.
    var name: String {
        switch self {
        case .left: "left"
        case .replaced: "replaced"
        case .closed: "closed"
        case .lost: "lost"
        case .refused: "refused"
        case .failed: "failed"
        case .misbehaved: "misbehaved"
        }
    }
}

extension MessageResult {
    /// The name in events.
    var name: String {
        switch self {
        case .delivered: "delivered"
        case .notSent: "notSent"
        case .inDoubt: "inDoubt"
        }
    }
}

extension SessionWarning {
    /// What it means, in a clause.
    var text: String {
        switch self {
        case .contradiction(let peer):
            "\(SafeText.escape(peer.shownName)) has said different things to different members: do not trust it"
        case .identityUsedTwice: "another program seems to use this identity: give one of them another --store DIR"
        case .placeLost: "the session is so full that not all members know of this peer"
        case .signingFailed: "this peer could not sign its entry for the others"
        case .undelivered(let peer, let messages):
            "the connection to \(SafeText.escape(peer.shownName)) was made anew; \(messages)"
        case .notKept(let error): "the chat could not be kept for a later run: \(SafeText.escape("\(error)"))"
        }
    }
}
