import MultipeerScriptedPeer
import MultipeerWire

/// Every frame in every state that does not allow it: SPEC §17.
package enum UnexpectedRules {
    package static let early: [Place] = [.proof, .info, .identified, .inviting, .invited]
    /// The states from *certificates* on.
    package static let late: [Place] = [
        .certificatesInvitee, .certificatesInviter, .judging, .peerReady, .selfReady, .open,
    ]

    /// All of them, in the order of the states.
    package static func rules(at places: [Place]) -> [LinkRule] {
        places.flatMap { place in
            FrameType.allCases.filter { $0.feature == nil && isUnexpected($0, place) }.map { rule($0, place) }
        }
    }

    /// The frames that a state allows, CLOSE and PADDING apart.
    private static func allowed(_ place: Place) -> Set<FrameType> {
        switch place {
        case .proof: [.proof]
        case .info: [.peerInfo]
        // RESUME is a responder's: other rules say what it does.
        case .identified: [.invite, .resume]
        case .inviting: [.accept, .decline, .invite, .resume]
        case .invited: [.cancel]
        case .certificatesInvitee: [.certificates, .cancel]
        case .certificatesInviter: [.certificates]
        case .judging, .selfReady: [.ready]
        case .peerReady: []
        // What an open link does with them depends on what came before: other rules.
        case .open, .receiving: Set(FrameType.allCases.filter { $0.isOfOpenLink || $0 == .rekey })
        case .closing: Set(FrameType.allCases)
        }
    }

    private static func isUnexpected(_ type: FrameType, _ place: Place) -> Bool {
        switch type {
        case .close: false
        case .padding: place == .proof
        default: !allowed(place).contains(type)
        }
    }

    private static func rule(_ type: FrameType, _ place: Place) -> LinkRule {
        LinkRule(
            id(type, place), "\(type.name) in \(place.rawValue)", requirements(type, place),
            // The table of SPEC §17 has no number of its own; the vectors cite its section.
            also: requirements(type, place).isEmpty ? "R8.6-2" : "", at: place,
            .unexpectedFrame, place == .proof ? "BeforeProof" : "UnexpectedFrame", section: "17",
            isLive: isLive(type, place)
        ) { [try PlacedFrames.frame(type, of: $0)] }
    }

    /// A live peer judges, accepts and is ready at once, so it may have gone on by the time that the frame comes. Then the frame
    /// has to be unexpected there as well.
    private static func isLive(_ type: FrameType, _ place: Place) -> Bool {
        switch place {
        case .invited: isUnexpected(type, .certificatesInvitee)
        case .judging: isUnexpected(type, .selfReady)
        case .peerReady: isUnexpected(type, .open)
        default: true
        }
    }

    private static func requirements(_ type: FrameType, _ place: Place) -> String {
        switch (type, place) {
        case (_, .proof): "R6.4-3 R9.5-1"
        case (.proof, _): "R9.5-5"
        case (.peerInfo, _): "R8.1-1"
        case (.invite, .info): "R8.2-3"
        case (.invite, _): "R8.2-3 R8.6-2"
        case (.cancel, .judging), (.cancel, .peerReady), (.cancel, .selfReady): "R8.5-2"
        case (.ready, _): "R10.5-4"
        case (.rekey, _): "R10.5-3 R12.6-3"
        case (let type, _) where type.isOfOpenLink: "R10.5-3"
        default: ""
        }
    }

    // MARK: Names

    /// Cases that have had names of their own since before the table was one.
    private static let names: [Place: [FrameType: String]] = [
        .proof: [
            .peerInfo: "9.5-peer-info-first", .invite: "9.5-invite-first", .message: "9.5-message-first",
            .padding: "6.4-padding-before-proof",
        ],
        .info: [.proof: "9.5-second-proof", .invite: "8.2-before-peer-info"],
        .identified: [.accept: "8.3-uninvited", .decline: "8.4-uninvited", .cancel: "8.5-uninvited"],
        .inviting: [.cancel: "8.5-by-invitee"],
        .invited: [.invite: "8.2-twice-at-once"],
        .certificatesInvitee: [
            .invite: "8.2-twice", .ready: "10.5-ready-early", .message: "10.5-message-early",
        ],
        .certificatesInviter: [.accept: "8.3-twice"],
        .selfReady: [
            .cancel: "8.5-after-certificates", .certificates: "10.1-certificates-twice",
            .message: "10.5-message-before-ready", .fileOffer: "10.5-file-before-ready",
            .fileCancel: "10.5-file-cancel-before-ready",
        ],
        .open: [
            .proof: "9.5-second-proof-open", .peerInfo: "8.1-second-when-open", .invite: "8.2-when-open",
            .cancel: "8.5-when-open", .ready: "10.5-ready-twice",
        ],
    ]

    private static func id(_ type: FrameType, _ place: Place) -> String {
        names[place]?[type] ?? "17-\(place.topic)-\(type.name.lowercased().replacing("_", with: "-"))"
    }
}

/// Every frame as it would be good elsewhere.
enum PlacedFrames {
    static func frame(_ type: FrameType, of sender: any LinkSender) throws -> [UInt8] {
        switch type {
        case .padding: WireBytes.padding(3, 0)
        case .proof: try sender.proof()
        case .peerInfo: sender.peerInfo()
        case .invite: sender.invite()
        case .fileOffer: sender.fileOffer()
        case .fileAccept: WireBytes.fileAccept(sender.receiversNumber())
        case .fileCancel: sender.fileCancel()
        case .fileData: sender.fileData()
        case .fileEnd: sender.fileEnd()
        case .fileDone: WireBytes.fileDone(sender.receiversNumber())
        default: fixed(type)
        }
    }

    /// Those that are the same whichever peer sends them.
    static func fixed(_ type: FrameType) -> [UInt8] {
        let key = [UInt8](repeating: 1, count: 32)
        let signature = [UInt8](repeating: 2, count: 64)
        return switch type {
        case .close: WireBytes.close()
        case .accept: WireBytes.accept()
        case .decline: WireBytes.decline(1)
        case .cancel: WireBytes.cancel()
        case .certificates: WireBytes.certificates()
        case .ready: WireBytes.ready
        case .rekey: WireBytes.rekey
        case .message: WireBytes.message("hello")
        case .messagePart: WireBytes.part("hello")
        case .ping: WireBytes.ping([UInt8](repeating: 3, count: 8))
        case .pong: WireBytes.pong([UInt8](repeating: 3, count: 8))
        case .credit: WireBytes.credit(.messages, limit: 524_288)
        case .ack: WireBytes.ack(1)
        case .admit: WireBytes.admit(key + signature)
        case .roster:
            WireBytes.roster([WireBytes.entryContent(key, instance: 1, name: []) + signature])
        case .digest: WireBytes.digest(key)
        case .summary: WireBytes.summary()
        case .want: WireBytes.want([key])
        case .resume: WireBytes.resume(proof: key)
        case .resumed: WireBytes.frame(.resumed, [0, 0, 0] + key)
        case .unite: WireBytes.unite(WireBytes.charter(founder: key), key + signature)
        case .enter: WireBytes.enter(key)
        case .streamOpen: WireBytes.opening(1, credit: 0, name: "s")
        case .streamEnd: WireBytes.streamEnd(1, size: 0)
        case .streamReset: WireBytes.streamReset(1, code: 0)
        case .streamStop: WireBytes.streamStop(1, code: 0)
        default: WireBytes.frame(type, [1, 1])
        }
    }
}
