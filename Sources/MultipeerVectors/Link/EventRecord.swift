internal import MultipeerCertificates
@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// Effects of a link as the events of a `LinkScript`; consecutive pieces of a file are joined.
struct EventRecord {
    private var events: [JSONValue] = []

    /// All events since the last time. Of results that come together, those *in doubt* come before those *not sent*.
    mutating func take() -> [JSONValue] {
        defer { events = [] }
        guard events.contains(where: { $0["result"] == "in doubt" }) else { return events }
        var sorted: [JSONValue] = []
        var late: [JSONValue] = []
        for event in events {
            switch event["result"]?.text {
            case "not sent": late.append(event)
            case nil:
                sorted += late + [event]
                late = []
            default: sorted.append(event)
            }
        }
        return sorted + late
    }

    mutating func note(_ effect: LinkEffect) {
        switch effect {
        case .identified(let peer):
            add("identified", ["key": .hex(peer.key.rawBytes), "name": .hex(peer.displayName?.utf8Bytes ?? [])])
        case .invited(_, let invitation): add("invited", Self.shown(invitation))
        case .invitationAccepted(let outcome): add("accepted", ["outcome": .integer(Int(outcome.rawValue))])
        case .verify(_, let evidence):
            add("judge", ["chain": .array((evidence.chain?.certificates ?? []).map { .hex($0.der) })])
        case .opened(let summary):
            add(
                "opened",
                [
                    "outcome": .integer(Int(summary.encryption.rawValue)),
                    "session": .hex(summary.session.rawBytes), "charter": .hex(summary.charter.encoded),
                    "handshakeHash": .hex(summary.handshakeHash.rawBytes),
                ])
        case .message(let bytes): add("message", ["bytes": .hex(bytes)])
        case .incomingFile(let event): note(event)
        case .outgoingFile(let event): note(event)
        case .closed(let end): events.append(Self.shown(end))
        // Streams and results have events of their own; memory is the app's alone, and scripts see it by CREDIT.
        case .stream, .messages, .probeAnswered, .memoryWanted, .memoryReturned, .messageStalled: break
        case .verification(let event): note(event)
        case .datagramPath(let port): add("path", port.map { ["port": .integer(Int($0))] } ?? [:])
        // A link has none: they come beside it.
        case .datagram, .trace: break
        }
    }

    /// What became of a local message. ACK says that it is delivered; the rest is said when the link ends.
    mutating func note(_ result: MessageResult, of tag: JSONValue) {
        switch result {
        case .delivered: add("delivered", ["tag": tag])
        case .notSent: add("result", ["tag": tag, "result": "not sent"])
        case .inDoubt: add("result", ["tag": tag, "result": "in doubt"])
        }
    }

    mutating func noteOpened(_ stream: StreamID, name: String) {
        add("streamOpened", ["id": .wide(stream.rawValue), "name": .hex(Array(name.utf8))])
    }

    /// What the app has taken of a stream.
    mutating func noteData(_ stream: StreamID, _ bytes: [UInt8]) {
        add("streamData", ["id": .wide(stream.rawValue), "bytes": .hex(bytes)])
    }

    /// The end of the peer's direction: complete without a code.
    mutating func noteEnded(_ stream: StreamID, code: UInt64?) {
        add(
            "streamEnded",
            ["id": .wide(stream.rawValue), "complete": .bool(code == nil)].merging(
                code.map { ["code": .wide($0)] } ?? [:]
            ) { own, _ in own })
    }

    mutating func noteStopped(_ stream: StreamID, code: UInt64) {
        add("streamStopped", ["id": .wide(stream.rawValue), "code": .wide(code)])
    }

    mutating func noteAccepted(_ file: FileID, offset: UInt64) {
        add("fileAccepted", ["id": .wide(file.rawValue), "offset": .wide(offset)])
    }

    /// No link carries the association: what RESUME or RESUMED says.
    mutating func noteParked(received: UInt64, files: [FilePosition]) {
        add("resumable", ["received": .wide(received), "files": .positions(files)])
    }

    /// A fault of the peer, found by an association that has no link.
    mutating func noteFailure(_ code: String) { add("failed", ["code": .string(code)]) }

    /// What the app was given for a step `export`.
    mutating func noteExport(_ bytes: [UInt8]) { add("exported", ["bytes": .hex(bytes)]) }

    /// The peer's key is verified by a one-time code.
    mutating func noteVerified(_ key: IdentityKey) { add("verified", ["key": .hex(key.rawBytes)]) }

    private mutating func note(_ event: VerificationEvent) {
        switch event {
        case .codeBurned: add("codeBurned", [:])
        case .comparisonWanted: add("comparisonWanted", [:])
        case .shortString(let string):
            add(
                "shortString",
                [
                    "digits": .string(string.digits), "words": .array(string.words.map(JSONValue.string)),
                ])
        // The link says whose key it is; the question for a code is the book's, and a void code shows by the frames.
        case .codeVerified, .codeWanted, .codeVoid, .codeAbandoned: break
        }
    }

    private mutating func add(_ name: String, _ members: [String: JSONValue]) {
        events.append(.object(members.merging(["event": .string(name)]) { own, _ in own }))
    }

    private mutating func note(_ event: IncomingFileEvent) {
        switch event {
        case .offered(let offer):
            add(
                "fileOffered",
                [
                    "id": .wide(offer.file.rawValue), "name": .hex(Array(offer.name.utf8)),
                    "localName": .hex(Array(offer.localName.utf8)), "size": .integer(Int(offer.size)),
                    "type": .integer(Int(offer.kind.rawValue)), "tag": .hex(offer.tag),
                    "manifest": .integer(Int(offer.manifest)),
                ])
        case .data(let file, let bytes): noteData(file, bytes)
        case .complete(let file, let digest):
            add("fileComplete", ["id": .wide(file.rawValue), "sha256": .hex(digest.rawBytes)])
        case .ended(let file, let reason, let byPeer): noteEnd(file, "incoming", reason, byPeer)
        }
    }

    private mutating func noteData(_ file: FileID, _ bytes: [UInt8]) {
        let id = JSONValue.wide(file.rawValue)
        if let last = events.last, last["event"] == "fileData", last["id"] == id, let before = last["bytes"]?.text {
            events[events.count - 1] = [
                "event": "fileData", "id": id, "bytes": .string(before + Hexadecimal.encode(bytes)),
            ]
        } else {
            add("fileData", ["id": id, "bytes": .hex(bytes)])
        }
    }

    private mutating func note(_ event: OutgoingFileEvent) {
        switch event {
        case .beginningWanted(let file, let length):
            add("hashWanted", ["id": .wide(file.rawValue), "length": .wide(length)])
        case .accepted(let file): noteAccepted(file, offset: 0)
        case .wanted(let file, let offset, let maximum):
            add(
                "fileWanted",
                ["id": .wide(file.rawValue), "offset": .wide(offset), "maximum": .integer(maximum)])
        case .renamed, .kept: break  // Nothing depends on it.
        case .delivered(let file, _): add("fileDelivered", ["id": .wide(file.rawValue)])
        case .ended(let file, let reason, let byPeer): noteEnd(file, "outgoing", reason, byPeer)
        }
    }

    private mutating func noteEnd(_ file: FileID, _ direction: String, _ reason: FileCancel.Reason, _ byPeer: Bool) {
        add(
            "fileEnded",
            [
                "id": .wide(file.rawValue), "direction": .string(direction),
                "reason": .integer(Int(reason.rawValue)), "byPeer": .bool(byPeer),
            ])
    }

    private static func shown(_ invitation: ReceivedInvitation) -> [String: JSONValue] {
        [
            "session": .hex(invitation.session.rawBytes), "charter": .hex(invitation.charter.encoded),
            "sessionKind": .integer(Int(invitation.kind.rawValue)),
            "preference": .integer(Int(invitation.encryption.rawValue)),
            "identityKind": .integer(invitation.showsCertificate ? 1 : 0), "context": .hex(invitation.context),
            "timeout": .integer(
                Int(invitation.timeout.components.seconds * 1_000)
                    + Int(invitation.timeout.components.attoseconds / 1_000_000_000_000_000)),
        ]
    }

    private static func shown(_ end: LinkEnd) -> JSONValue {
        switch end {
        case .finished: return ["event": "closed", "end": "finished"]
        case .failed(let failure):
            let outcome = ReportedOutcome(failure)
            var members: [String: JSONValue] = [
                "event": "closed", "end": .string(outcome.code), "layer": .string(outcome.layer),
            ]
            if case .peerClosed = failure.cause { members["byPeer"] = true }
            return .object(members)
        }
    }
}
