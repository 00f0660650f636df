internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/`: what two peers say over an open link, without the link (SPEC §13, §15).
struct AssociationFiles {
    let subject: SwiftSubject

    typealias Setting = AssociationWriter.Setting
    typealias Wire = WireBytes

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try AssociationFrames(subject: subject).write().file(),
            try NumberScripts(subject: subject).write().file(), try CreditScripts(subject: subject).write().file(),
            try LongMessageScripts(subject: subject).write().file(), try AckScripts(subject: subject).write().file(),
            try KeepAliveScripts(subject: subject).write().file(), try StreamScripts(subject: subject).write().file(),
            try SentFileScripts(subject: subject).write().file(),
            try ReceivedFileScripts(subject: subject).write().file(),
            try ResumeScripts(subject: subject).write().file(), try PriorityScripts(subject: subject).write().file(),
            try KeptScripts(subject: subject).write().file(),
        ]
    }

    /// With even and with odd numbers.
    static let settings = [Setting(isLesser: true), Setting(isLesser: false)]
}

/// `association/numbers`: SPEC §13.2.
struct NumberScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("numbers", section: "13.2", subject: subject)
        for setting in AssociationFiles.settings {
            try own(scripts, setting)
            try peers(scripts, setting)
            try unused(scripts, setting)
        }
        let setting = AssociationWriter.Setting()
        try otherKind(scripts, setting)
        try ended(scripts, setting)
        try whose(scripts, setting)
        return scripts
    }

    private func own(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let parity = setting.isLesser ? "even" : "odd"
        try scripts.works("own numbers are \(parity), for streams and files alike", ["R13.2-1"], setting) {
            try $0.opens().offers().opens().offers().opens()
        }
    }

    private func peers(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let name = setting.isLesser ? "lesser key" : "greater key"
        try scripts.works("\(name): the peer's streams and files share their numbers", ["R13.2-1"], setting) {
            try $0.peer(
                Wire.opening($0.peers(0)), Wire.fileOffer($0.peers(1), size: 5), Wire.opening($0.peers(2)),
                Wire.fileOffer($0.peers(3), size: 5))
        }
        try scripts.play(NumberRules.beginnings, setting, prefix: "\(name): ")
    }

    private func unused(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let name = setting.isLesser ? "lesser key" : "greater key"
        try scripts.play(NumberRules.unused, setting, prefix: "\(name): ") { try $0.opens() }
    }

    private func otherKind(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        for (naming, ofSender) in zip(NumberRules.naming, NumberRules.otherKind) {
            try scripts.play([ofSender], setting)
            try scripts.fails(
                "unexpected_frame", "UnexpectedFrame",
                "\(naming.name) that names a live \(naming.isOfStreams ? "file" : "stream") of its receiver's",
                ofSender.requirements, setting
            ) {
                _ = naming.isOfStreams ? try $0.offers() : try $0.opens()
                try $0.peer(naming.frame($0.own()))
            }
        }
    }

    /// A stream and a file of each peer, and all four have ended.
    private func allEnded(_ script: AssociationScript) throws {
        try script.opens(credit: 0).stream("endStream", script.own(0))
        try script.offers().file("cancelFile", script.own(1), reason: 2)
        try script.peer(Wire.opening(script.peers(0), credit: 0), Wire.streamEnd(script.peers(0), 0))
        try script.peer(Wire.fileOffer(script.peers(1), size: 5), Wire.fileCancel(script.peers(1)))
    }

    private func ended(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        for naming in NumberRules.naming {
            for (what, id) in [
                ("stream of its receiver's", { $0.own(0) }), ("file of its receiver's", { $0.own(1) }),
                ("stream of its sender's", { $0.peers(0) }), ("file of its sender's", { $0.peers(1) }),
            ] as [(String, (AssociationScript) -> UInt64)] {
                let comment = "\(naming.name) that names a \(what) that has ended"
                if naming.isIgnoredBehindTheEnd {
                    try scripts.works(comment + ": it is ignored", ["R13.2-3"], flags: ["CrossedFrame"], setting) {
                        try allEnded($0)
                        try $0.peer(naming.frame(id($0)), Wire.opening($0.peers(2)))
                    }
                } else {
                    try scripts.fails("unexpected_frame", "EndedNumber", comment, ["R13.2-2"], setting) {
                        try allEnded($0)
                        try $0.peer(naming.frame(id($0)))
                    }
                }
            }
        }
        try scripts.fails(
            "malformed", "Truncated", "what is ignored is decoded first", ["R13.2-3"], setting
        ) {
            try allEnded($0)
            try $0.peer(Wire.frame(.fileDone, [UInt8($0.own(1))]))
        }
        try scripts.works(
            "CREDIT for a number that has ended, which would not raise, is ignored", ["R13.2-3", "R15.4-1"],
            flags: ["CrossedFrame"], setting
        ) {
            try allEnded($0)
            try $0.peer(Wire.credit(3, $0.own(0), 0), Wire.credit(4, $0.own(1), 0))
        }
    }

    /// Frames about files of the wrong peer (R15.3-12, R13.4-3).
    private func whose(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let ofSender: [(String, String, (UInt64) -> [UInt8])] = [
            ("FILE_ACCEPT", "R15.3-12", { Wire.fileAccept($0) }), ("FILE_DONE", "R15.3-12", { Wire.fileDone($0) }),
            ("CREDIT", "R13.4-3", { Wire.credit(4, $0, 1_000_000) }),
        ]
        for (frame, requirement, bytes) in ofSender {
            try scripts.fails(
                "unexpected_frame", "UnexpectedFrame", "\(frame) for a live file that its own sender offered",
                [requirement],
                setting
            ) { try $0.peer(Wire.fileOffer($0.peers(), size: 5)).accepts($0.peers()).peer(bytes($0.peers())) }
        }
        let ofReceiver: [(String, (UInt64) -> [UInt8])] = [
            ("FILE_DATA", { Wire.fileData($0, offset: 0, [1]) }),
            ("FILE_END", { Wire.fileEnd($0, digest: [UInt8](repeating: 0, count: 32)) }),
        ]
        for (frame, bytes) in ofReceiver {
            try scripts.fails(
                "unexpected_frame", "UnexpectedFrame", "\(frame) for a live file that its own receiver offered",
                ["R15.3-12"], setting
            ) { try $0.offers().peer(Wire.fileAccept($0.own())).peer(bytes($0.own())) }
        }
    }
}
