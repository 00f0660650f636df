import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

extension SessionEvent {
    /// The name of the event, and its other members (docs/command-line.md).
    var members: (name: String, rest: [(String, JSON)]) {
        switch self {
        case .connected(let address): ("connected", [("address", address.map(JSON.string) ?? .null)])
        case .identified(let peer): ("identified", peer.members)
        case .invited(let peer, let invitation): ("invited", peer.members + invitation.members)
        case .invitationAccepted(let outcome): ("invitationAccepted", [("encryption", .string(outcome.name))])
        case .opened(let summary): ("opened", summary.members)
        case .message(let bytes):
            ("message", [("size", .integer(UInt64(bytes.count))), JSON.textOrBase64(bytes)])
        case .fileOffered(let name, let localName, let size, let isAccepted):
            (
                "fileOffered",
                [
                    ("name", .string(name)), ("localName", .string(localName)), ("size", .integer(size)),
                    ("accepted", .boolean(isAccepted)),
                ]
            )
        case .fileResumed(let direction, let name, let offset, let size):
            (
                "fileResumed",
                [
                    ("direction", .string(direction.rawValue)), ("name", .string(name)), ("offset", .integer(offset)),
                    ("size", .integer(size)),
                ]
            )
        case .fileProgress(let progress): ("fileProgress", progress.members)
        case .fileReceived(let name, let path, let size, let digest, let isKept):
            ("fileReceived", Self.file(name, path, size, digest) + [("kept", .boolean(isKept))])
        case .fileSent(let name, let path, let size, let digest, let leftOut, let isKept):
            (
                "fileSent",
                Self.file(name, path, size, digest) + [
                    ("leftOut", .integer(UInt64(leftOut))), ("kept", .boolean(isKept)),
                ]
            )
        case .leftOut(let name, let omitted): ("leftOut", [("name", .string(name))] + omitted.members)
        case .namesDiffer(let direction, let name, let renaming):
            (
                "namesDiffer",
                [("direction", .string(direction.rawValue)), ("name", .string(name))] + renaming.members
            )
        case .fileFailed(let direction, let name, let failure):
            ("fileFailed", Self.failure(direction, name, failure))
        case .streamSent(let name, let size): ("streamSent", [("name", .string(name)), ("size", .integer(size))])
        case .streamReceived(let name, let size):
            ("streamReceived", [("name", .string(name)), ("size", .integer(size))])
        case .streamFailed(let direction, let name, let failure):
            ("streamFailed", Self.failure(direction, name, failure))
        case .closed: ("closed", [])
        }
    }

    private static func failure(
        _ direction: FileDirection, _ name: String, _ failure: CommandFailure
    ) -> [(String, JSON)] {
        [
            ("direction", .string(direction.rawValue)), ("name", .string(name)), ("reason", .string(failure.reason)),
            ("remedy", .string(failure.remedy)),
        ]
    }

    private static func file(
        _ name: String, _ path: String, _ size: UInt64, _ digest: Digest
    ) -> [(String, JSON)] {
        [
            ("name", .string(name)), ("path", .string(path)), ("size", .integer(size)),
            ("sha256", .string(Hex.encode(digest.rawBytes))),
        ]
    }
}

extension PeerID {
    fileprivate var members: [(String, JSON)] {
        [("peer", .string(key.description)), ("name", jsonName)]
    }
}

extension ReceivedInvitation {
    fileprivate var members: [(String, JSON)] {
        let (key, value) = JSON.textOrBase64(context)
        let (seconds, attoseconds) = timeout.components
        return [
            ("session", .string(session.description)), ("charter", .string(Hex.encode(charter.encoded))),
            ("newSession", .boolean(isNewSession)), ("encryption", .string(encryption.name)),
            ("certificate", .boolean(showsCertificate)), ("context", .object([(key, value)])),
            ("timeoutMilliseconds", .integer(UInt64(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000))),
        ]
    }
}

extension LinkSummary {
    fileprivate var members: [(String, JSON)] {
        [
            ("peer", .string(peer.key.description)), ("name", peer.jsonName),
            ("verified", .boolean(trust.isVerified)), ("remembered", .boolean(trust.isRemembered)),
            ("trust", .string(trust.name)),
            ("encryption", .string(encryption.name)), ("suite", .string(suite.name)),
            ("session", .string(session.description)), ("charter", .string(Hex.encode(charter.encoded))),
            ("handshakeHash", .string(Hex.encode(handshakeHash.rawBytes))),
        ]
    }
}

extension FileProgress {
    /// The progress from 0 to 100. An empty file is complete at once.
    var percent: UInt64 { size == 0 ? 100 : UInt64(Double(transferred) / Double(size) * 100) }

    fileprivate var members: [(String, JSON)] {
        [
            ("direction", .string(direction.rawValue)), ("name", .string(name)),
            ("transferred", .integer(transferred)), ("size", .integer(size)),
        ]
    }
}
