internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/kept`: what is counted and kept, and what an association sends first on another link (SPEC §13.6, §13.9).
struct KeptScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Setting = AssociationWriter.Setting
    private let keeping = Setting(keeps: true)
    private let tag = [UInt8](repeating: 0x11, count: 16)

    init(subject: SwiftSubject) { self.subject = subject }

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("kept", section: "13.9", subject: subject)
        try counted(scripts)
        try acknowledged(scripts)
        try messages(scripts)
        try limits(scripts)
        try streams(scripts)
        try received(scripts)
        try sent(scripts)
        try positions(scripts)
        try bounds(scripts)
        return scripts
    }

    // MARK: §13.6

    private func counted(_ scripts: AssociationWriter) throws {
        func counts(_ comment: String, flags: [String] = [], _ body: (AssociationScript) throws -> Void) throws {
            try scripts.works(comment, ["R13.6-1"], flags: flags, section: "13.6", keeping, body)
        }
        try counts("messages and streams count: ACK of 6 after 20 ms") {
            try $0.peer(
                Wire.message(total: 2, Array("a".utf8)), Wire.part(Array("b".utf8)),
                Wire.streamOpen($0.peers(), credit: 40_000), Wire.streamData($0.peers(), [0x61]),
                Wire.streamStop($0.peers()), Wire.streamEnd($0.peers(), size: 1)
            ).clock(20)
        }
        try counts("CREDIT, PING, PONG and ACK do not count") {
            try $0.sends("a").peer(Wire.ping(), Wire.credit(.messages, limit: 300_000), Wire.ack(1)).clock(20)
        }
        try counts("files count but for their data: ACK of 2") {
            try $0.peer(Wire.fileOffer($0.peers(), size: 2)).accepts($0.peers())
                .peer(Wire.fileData($0.peers(), offset: 0, [1]), Wire.fileCancel($0.peers())).clock(20)
        }
        try counts("a frame for an ended number counts, though it is ignored", flags: ["CrossedFrame"]) {
            try $0.opens(credit: 0).peer(Wire.streamStop($0.own()), Wire.streamStop($0.own())).clock(20)
        }
        try counts("64 frames, none of which ends a message: ACK at once") {
            try $0.peer(Wire.message(total: 100, [0x61]))
            for _ in 0..<63 { try $0.peer(Wire.part([0x61])) }
        }
        try counts("65,536 bytes of payloads: ACK at once") {
            try $0.peer(Wire.message(total: 65_532, []), fill: 60_000).peer(Wire.part([]), fill: 5_532)
        }
    }

    private func acknowledged(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "a part is acknowledged: the message is not delivered before its last frame is", ["R13.6-3"],
            section: "13.6",
            keeping
        ) {
            try $0.sends("", fill: 70_000, tag: 1).peer(Wire.ack(1))
        }
        func wrong(_ comment: String, _ body: (AssociationScript) throws -> Void) throws {
            try scripts.fails(
                "malformed", "ValueOutOfRange", comment, ["R13.6-2"], section: "13.6", keeping, body)
        }
        try wrong("ACK repeats the last count") {
            try $0.sends("a", tag: 1).sends("b", tag: 2).peer(Wire.ack(1), Wire.ack(1))
        }
        try wrong("ACK of more than was sent") { try $0.sends("a", tag: 1).peer(Wire.ack(2)) }
        try wrong("ACK of 0") { try $0.sends("a", tag: 1).peer(Wire.ack(0)) }
    }

    // MARK: Another link

    private func resumes(
        _ scripts: AssociationWriter, _ comment: String, _ requirements: [String], flags: [String] = [],
        _ body: (AssociationScript) throws -> Void
    ) throws { try scripts.works(comment, requirements, flags: flags, keeping, body) }

    private func malformed(
        _ scripts: AssociationWriter, _ comment: String, _ requirements: [String],
        _ body: (AssociationScript) throws -> Void
    ) throws { try scripts.fails("malformed", "ValueOutOfRange", comment, requirements, keeping, body) }

    private func messages(_ scripts: AssociationWriter) throws {
        try resumes(scripts, "nothing was lost", ["R13.9-8"]) {
            try $0.sends("a", tag: 1).peer(Wire.ack(1)).loses().resumes(after: 1)
        }
        try resumes(scripts, "what was not processed goes again, with the same bytes", ["R13.9-2", "R13.9-8"]) {
            try $0.sends("a", tag: 1).sends("b", tag: 2).loses().resumes(after: 1).peer(Wire.ack(2))
        }
        try resumes(scripts, "two links are lost, one after the other", ["R13.9-2", "R13.9-8"]) {
            try $0.sends("a", tag: 1).loses().resumes(after: 0).sends("b", tag: 2).loses().resumes(after: 1)
                .peer(Wire.ack(2))
        }
        try resumes(scripts, "what the app sends without a link goes after that", ["R13.9-8"]) {
            try $0.sends("a", tag: 1).loses().sends("b", tag: 2).resumes(after: 0)
        }
        try resumes(scripts, "`received` acknowledges", ["R13.6-3", "R13.9-6"]) {
            try $0.sends("a", tag: 1).loses().resumes(after: 1)
        }
        try malformed(scripts, "`received` above what was sent", ["R13.6-2", "R13.9-6"]) {
            try $0.sends("a", tag: 1).loses().resumes(after: 2)
        }
        try malformed(scripts, "`received` below what was acknowledged, in RESUMED", ["R13.6-2", "R13.9-6"]) {
            try $0.sends("a", tag: 1).sends("b", tag: 2).peer(Wire.ack(2)).loses().resumes(after: 1)
        }
        try malformed(scripts, "ACK of what `received` has acknowledged", ["R13.6-2"]) {
            try $0.sends("a", tag: 1).loses().resumes(after: 1).peer(Wire.ack(1))
        }
        try resumes(scripts, "`received` counts what came, and no ACK of it is due", ["R13.6-1", "R13.9-4"]) {
            try $0.peer(Wire.message([0x61]), Wire.message(total: 5, [0x61])).loses().resumes(after: 0).clock(20)
        }
        try resumes(scripts, "the peer's half message is completed on the next link", ["R13.9-6", "R13.9-8"]) {
            try $0.peer(Wire.message(total: 3, [0x61])).loses().resumes(after: 0)
                .peer(Wire.part([0x62]), Wire.part([0x63])).clock(20)
        }
        try resumes(scripts, "a message of several frames goes again", ["R13.9-8"]) {
            try $0.sends("", fill: 70_000, tag: 1).loses().resumes(after: 0)
        }
        try resumes(scripts, "PING and PONG that waited are of the lost link", ["R13.9-8"]) {
            try $0.quietly(Wire.ping()).loses().resumes(after: 0).peer(Wire.ping())
        }
    }

    private func limits(_ scripts: AssociationWriter) throws {
        try resumes(scripts, "a limit that was raised is told again, after the frames", ["R13.9-8"]) {
            for _ in 0..<8 { try $0.peer(Wire.message(total: 20_000, []), fill: 20_000) }
            try $0.takes(8).sends("a", tag: 1).loses().resumes(after: 0)
        }
        let raised = Wire.credit(.messages, limit: 300_000)
        try malformed(scripts, "CREDIT repeats a limit on the next link twice", ["R13.4-2"]) {
            try $0.peer(raised).loses().resumes(after: 0).peer(raised, raised)
        }
        try malformed(scripts, "the first CREDIT on the next link is below the limit", ["R13.4-2"]) {
            try $0.peer(raised).loses().resumes(after: 0).peer(Wire.credit(.messages, limit: 299_999))
        }
        try malformed(scripts, "an equal limit on the first link", ["R13.4-2"]) {
            try $0.peer(Wire.credit(.messages, limit: 262_144))
        }
        try resumes(scripts, "what goes again uses no credit a second time", ["R13.3-1", "R13.9-8"]) {
            try $0.opens(credit: 0).writes($0.own(), "", fill: 30_000).loses().resumes(after: 0)
                .writes($0.own(), "", fill: 5_000)
        }
    }

    private func streams(_ scripts: AssociationWriter) throws {
        try resumes(scripts, "opening, data and end of a stream go again", ["R13.9-8"]) {
            try $0.opens().writes($0.own(), "bc").stream("endStream", $0.own()).loses().resumes(after: 0)
        }
        try resumes(scripts, "only the data of a stream was lost", ["R13.9-8"]) {
            try $0.opens().writes($0.own(), "bc").loses().resumes(after: 1).writes($0.own(), "d")
        }
        try resumes(scripts, "the peer's stream continues", ["R13.9-8", "R15.6-7"]) {
            try $0.peer(Wire.streamOpen($0.peers(), credit: 0), Wire.streamData($0.peers(), [0x62, 0x63])).loses()
                .resumes(after: 0).peer(Wire.streamData($0.peers(), [0x64]), Wire.streamEnd($0.peers(), size: 3))
                .stream("takeStream", $0.peers(), count: 10)
        }
    }

    // MARK: Files

    private func received(_ scripts: AssociationWriter) throws {
        func half(_ script: AssociationScript) throws {
            try script.peer(Wire.fileOffer(script.peers(), size: 5)).accepts(script.peers())
                .peer(Wire.fileData(script.peers(), offset: 0, Array("he".utf8)))
        }
        try resumes(scripts, "`files` names where a file is that is received", ["R13.9-4", "R13.9-9"]) {
            try half($0)
            try $0.loses().resumes(after: 1).peer(
                Wire.fileData($0.peers(), offset: 2, Array("llo".utf8)),
                Wire.fileEnd($0.peers(), digest: $0.sha256("hello")))
        }
        try resumes(scripts, "files that are offered or refused are not in `files`", ["R13.9-4"]) {
            try $0.peer(Wire.fileOffer($0.peers(0), size: 5), Wire.fileOffer($0.peers(1), size: 5))
                .file("refuseFile", $0.peers(0), reason: 1).loses()
        }
        try malformed(scripts, "FILE_DATA on the next link from another offset", ["R15.3-3"]) {
            try half($0)
            try $0.loses().resumes(after: 1).peer(Wire.fileData($0.peers(), offset: 0, [0x61]))
        }
    }

    /// A file of five bytes is accepted, and so much of it sent.
    private func supplied(_ script: AssociationScript, _ text: String) throws {
        try script.offers().peer(Wire.fileAccept(script.own()))
        if !text.isEmpty { try script.supplies(script.own(), text) }
    }

    private func sent(_ scripts: AssociationWriter) throws {
        try resumes(
            scripts, "a file goes back to the offset that is named; the hash covers each byte once", ["R13.9-9"]
        ) {
            try supplied($0, "hel")
            try $0.loses().resumes(after: 1, ($0.own(), 1)).supplies($0.own(), "ello")
        }
        try resumes(scripts, "all of it was sent: FILE_END again", ["R13.9-9"]) {
            try supplied($0, "hello")
            try $0.loses().resumes(after: 1, ($0.own(), 5))
        }
        try resumes(scripts, "the last bytes were lost with FILE_END", ["R13.9-9"]) {
            try supplied($0, "hello")
            try $0.loses().resumes(after: 1, ($0.own(), 3)).supplies($0.own(), "lo").peer(Wire.fileDone($0.own()))
        }
        try resumes(scripts, "sent, and not named: it waits for FILE_DONE", ["R13.9-9"]) {
            try supplied($0, "hello")
            try $0.loses().resumes(after: 1).peer(Wire.fileDone($0.own()))
        }
        try resumes(scripts, "under way, and not named: nothing but the answer to FILE_CANCEL", ["R13.9-9"]) {
            try supplied($0, "h")
            try $0.loses().resumes(after: 1).peer(Wire.fileCancel($0.own()))
        }
        try resumes(scripts, "a file that waits for FILE_ACCEPT is passed over", ["R13.9-9"]) {
            try $0.offers().loses().resumes(after: 1, ($0.own(), 0)).peer(Wire.fileAccept($0.own()))
        }
        try resumes(scripts, "a file that has ended is passed over", ["R13.9-9"]) {
            try $0.offers().peer(Wire.fileCancel($0.own())).loses().resumes(after: 2, ($0.own(), 0))
        }
    }

    private func positions(_ scripts: AssociationWriter) throws {
        let all: [(String, (AssociationScript) -> (id: UInt64, offset: UInt64))] = [
            ("an offset above what was sent", { ($0.own(), 4) }), ("an unused number", { ($0.own(1), 0) }),
            ("a number that its own sender gives", { ($0.peers(), 0) }),
        ]
        for (comment, position) in all {
            try malformed(scripts, "`files`: \(comment)", ["R13.9-9"]) {
                try supplied($0, "hel")
                try $0.loses().resumes(after: 1, position($0))
            }
        }
        try malformed(scripts, "`files`: a live file that its own sender offers", ["R13.9-9"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 5)).accepts($0.peers()).loses()
                .resumes(after: 1, ($0.peers(), 0))
        }
        try malformed(scripts, "`files`: an offset below that of FILE_ACCEPT", ["R13.9-9"]) {
            try $0.offers(tag: tag)
                .peer(Wire.fileAccept($0.own(), offset: 2, digest: $0.sha256("he"), credit: 3))
                .app(
                    "sourceHash",
                    [
                        "file": .wide($0.own()), "sha256": .hex($0.sha256("he")), "whole": .hex($0.sha256("hello")),
                    ]
                )
                .loses().resumes(after: 1, ($0.own(), 1))
        }
        try malformed(scripts, "`files`: a live stream", ["R13.9-9"]) {
            try $0.opens().loses().resumes(after: 1, ($0.own(), 0))
        }
    }

    // MARK: Bounds

    private func bounds(_ scripts: AssociationWriter) throws {
        var setting = Setting(keeps: true, isRecommended: true)
        let limit = Wire.credit(.messages, limit: 1 << 29)
        try scripts.works(
            "4,096 frames are kept: answers go out beyond that; messages and openings wait for ACK", ["R13.9-2"],
            setting
        ) {
            try $0.peer(limit).opens(credit: 0).sends("", times: 4_095).peer(Wire.streamStop($0.own()))
                .sends("b").opens(credit: 0).peer(Wire.ack(1), Wire.ack(3))
        }
        setting.keeps = false
        try scripts.works("without a grace time nothing is kept: 1,228,800 bytes", ["R13.9-2"], setting) {
            try $0.peer(limit).sends("", fill: 2_046, times: 600)
        }
    }
}
