internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/files-sent`: the sender's table of SPEC §15.3.
struct SentFileScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Body = (AssociationScript) throws -> Void

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("files-sent", section: "15.3", subject: subject)
        for setting in AssociationFiles.settings { try whole(scripts, setting) }
        try several(scripts)
        try refused(scripts)
        try cancelled(scripts)
        try checking(scripts)
        try unexpected(scripts)
        try bad(scripts)
        try ends(scripts)
        try scripts.works("FILE_DONE with field 0x07: the receiver has kept an identical file", ["R3.4-2", "R15.3-6"]) {
            try sent($0)
            try $0.peer(Wire.fileDone($0.own(), fields: Wire.field(7, [])))
        }
        for request in ["cancelFile", "refuseFile"] {
            try scripts.works("\(request) of a file that is delivered changes nothing", ["R15.3-7"]) {
                try sent($0)
                try $0.peer(Wire.fileDone($0.own())).file(request, $0.own(), reason: 2)
            }
        }
        return scripts
    }

    /// Offered, accepted, sent: five bytes.
    private func sent(_ script: AssociationScript) throws {
        try script.offers().peer(Wire.fileAccept(script.own())).supplies(script.own())
    }

    /// A file with a tag, of which the peer holds two bytes; the implementation hashes.
    private func hashing(_ script: AssociationScript, credit: UInt64 = 3) throws {
        try script.offers(tag: Array(repeating: 7, count: 16))
            .peer(Wire.fileAccept(script.own(), offset: 2, digest: script.sha256("he"), credit: credit))
    }

    private func whole(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let name = setting.isLesser ? "even" : "odd"
        try scripts.works("\(name): a file, from offer to FILE_DONE", ["R15.3-1", "R15.3-3", "R15.3-4"], setting) {
            try sent($0)
            try $0.peer(Wire.fileDone($0.own()))
        }
        try scripts.works("\(name): an empty file", ["R15.3-4"], setting) {
            try $0.offers(size: 0).peer(Wire.fileAccept($0.own(), credit: 0), Wire.fileDone($0.own()))
        }
        try scripts.works("\(name): bytes in pieces, and CREDIT between them", ["R15.3-3", "R13.3-1"], setting) {
            let id = $0.own()
            try $0.offers(size: 12).peer(Wire.fileAccept(id, credit: 4)).supplies(id, "hello")
                .peer(Wire.credit(4, id, 9)).supplies(id, " you").peer(Wire.credit(4, id, 12)).supplies(id, "all")
                .peer(Wire.fileDone(id))
        }
        try scripts.works("\(name): accepted without credit", ["R13.3-1"], setting) {
            try $0.offers().peer(Wire.fileAccept($0.own(), credit: 0)).peer(Wire.credit(4, $0.own(), 5))
                .supplies($0.own())
        }
        try scripts.works("\(name): credit beyond the size", ["R13.4-2"], setting) {
            try $0.offers().peer(Wire.fileAccept($0.own(), credit: 2), Wire.credit(4, $0.own(), VarInt.maximum))
                .supplies($0.own()).peer(Wire.fileDone($0.own()))
        }
    }

    private func several(_ scripts: AssociationWriter) throws {
        try scripts.works("two files at once, their bytes between each other", ["R15.3-3"]) {
            let (one, two) = ($0.own(0), $0.own(1))
            try $0.offers().offers(size: 6).peer(Wire.fileAccept(two), Wire.fileAccept(one)).supplies(one, "he")
                .supplies(two, "abc").supplies(one, "llo").supplies(two, "def").peer(
                    Wire.fileDone(two), Wire.fileDone(one))
        }
        try scripts.works("a file each way at once", ["R15.3-3"]) {
            let (own, peers) = ($0.own(), $0.peers())
            try $0.offers().peer(Wire.fileOffer(peers, size: 2)).accepts(peers).peer(Wire.fileAccept(own))
                .supplies(own, "he").peer(Wire.fileData(peers, offset: 0, [1, 2])).supplies(own, "llo")
                .peer(Wire.fileEnd(peers, digest: $0.samples.crypto.sha256([1, 2])), Wire.fileDone(own))
                .file("confirmFile", peers)
        }
        try scripts.works("a folder, with tag, time and manifest", ["R15.3-8"]) {
            try $0.offers(
                size: 100, name: "src", type: 2, tag: Array(repeating: 9, count: 16), modified: 1_700_000_000,
                manifest: 25)
        }
        try scripts.works("a file that may be executed", ["R15.3-8"]) { try $0.offers(type: 1, modified: 5) }
    }

    private func refused(_ scripts: AssociationWriter) throws {
        for reason in [1, 2, 3, 5, 6, 9, 10, 11, 12, 13] as [UInt8] {
            try scripts.works(
                "the receiver refuses, reason \(reason): FILE_CANCEL with it", ["R15.3-7"], flags: ["Declined"]
            ) {
                try $0.offers().peer(Wire.fileCancel($0.own(), reason: reason)).peer(
                    Wire.fileCancel($0.own(), reason: reason))
            }
        }
        for reason in [0, 14, 0xFF] as [UInt8] {
            try scripts.works(
                "the receiver refuses, unknown reason \(reason): FILE_CANCEL with 2", ["R15.3-7"],
                flags: ["UnknownValue"]
            ) { try $0.offers().peer(Wire.fileCancel($0.own(), reason: reason)) }
        }
        let states: [(String, Body)] = [
            (
                "while bytes are on their way",
                { try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "he") }
            ),
            (
                "while bytes wait for credit",
                { try $0.offers().peer(Wire.fileAccept($0.own(), credit: 1)).supplies($0.own()) }
            ),
            ("while the beginning is hashed", { try hashing($0) }), ("behind FILE_END", { try sent($0) }),
        ]
        for (comment, body) in states {
            try scripts.works("the receiver cancels \(comment)", ["R15.3-7"], flags: ["Cancelled"]) {
                try body($0)
                try $0.peer(Wire.fileCancel($0.own(), reason: 9)).supplies($0.own(), "l").peer(
                    Wire.credit(4, $0.own(), 9))
            }
        }
    }

    private func cancelled(_ scripts: AssociationWriter) throws {
        for reason in [2, 4, 8, 10, 12, 13] {
            try scripts.works("the app cancels its offer, reason \(reason)", ["R15.3-7"], flags: ["Cancelled"]) {
                try $0.offers().file("cancelFile", $0.own(), reason: reason)
            }
        }
        try scripts.works(
            "the app cancels while it sends; answers on the way are ignored", ["R13.2-3", "R15.3-7"],
            flags: ["CrossedFrame"]
        ) {
            try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "he").file(
                "cancelFile", $0.own(), reason: 2
            )
            .peer(Wire.credit(4, $0.own(), 1), Wire.fileCancel($0.own(), reason: 3), Wire.fileDone($0.own()))
            .supplies($0.own(), "llo")
        }
        try scripts.works("FILE_CANCEL of both crosses", ["R13.2-3", "R15.3-7"], flags: ["CrossedFrame"]) {
            try $0.offers().file("cancelFile", $0.own(), reason: 2).peer(Wire.fileCancel($0.own(), reason: 1)).offers()
        }
        try scripts.works("FILE_CANCEL behind FILE_END crosses FILE_DONE", ["R13.2-3"], flags: ["CrossedFrame"]) {
            try sent($0)
            try $0.file("cancelFile", $0.own(), reason: 2).peer(Wire.fileDone($0.own()))
        }
        try scripts.works("the source changes while bytes are sent: reason 8, and no FILE_END", ["R15.3-11"]) {
            try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "hell").app(
                "sourceChanged", ["file": .wide($0.own())]
            )
            .supplies($0.own(), "o")
        }
        try scripts.works("bytes that wait are dropped with the file", ["R15.3-7"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), credit: 1)).supplies($0.own())
                .file("cancelFile", $0.own(), reason: 4).peer(Wire.credit(4, $0.own(), 5))
        }
    }

    /// The state between FILE_ACCEPT and the result of hashing.
    private func checking(_ scripts: AssociationWriter) throws {
        try scripts.works("checking: CREDIT is kept", ["R13.4-2", "R15.3-10"]) {
            try hashing($0, credit: 0)
            try $0.peer(Wire.credit(4, $0.own(), 5)).app(
                "sourceHash",
                ["file": .wide($0.own()), "sha256": .hex($0.sha256("he")), "whole": .hex($0.sha256("hello"))]
            ).supplies($0.own(), "llo").peer(Wire.fileDone($0.own()))
        }
        let faults: [(String, String, String, (UInt64) -> [UInt8])] = [
            ("unexpected_frame", "UnexpectedFrame", "a second FILE_ACCEPT", { Wire.fileAccept($0) }),
            ("unexpected_frame", "UnexpectedFrame", "FILE_DONE", { Wire.fileDone($0) }),
            ("malformed", "NotRaised", "CREDIT that does not raise", { Wire.credit(4, $0, 5) }),
        ]
        for (code, flag, comment, frame) in faults {
            try scripts.fails(code, flag, "checking: \(comment)", [code == "malformed" ? "R13.4-2" : "R15.3-6"]) {
                try hashing($0)
                try $0.peer(frame($0.own()))
            }
        }
        try scripts.works("checking: the source changes, reason 8", ["R15.3-11"]) {
            try hashing($0)
            try $0.app("sourceChanged", ["file": .wide($0.own())])
        }
        try scripts.works("checking: bytes cannot be supplied yet", ["R15.3-10"]) {
            try hashing($0)
            try $0.supplies($0.own(), "llo")
        }
    }

    private func unexpected(_ scripts: AssociationWriter) throws {
        let cases: [(String, Body)] = [
            ("a second FILE_ACCEPT", { try $0.offers().peer(Wire.fileAccept($0.own()), Wire.fileAccept($0.own())) }),
            (
                "a second FILE_ACCEPT behind FILE_END",
                {
                    try sent($0)
                    try $0.peer(Wire.fileAccept($0.own()))
                }
            ),
            ("FILE_DONE before FILE_ACCEPT", { try $0.offers().peer(Wire.fileDone($0.own())) }),
            (
                "FILE_DONE before FILE_END",
                {
                    try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "hell").peer(
                        Wire.fileDone($0.own()))
                }
            ),
            (
                "a second FILE_ACCEPT whose offset is beyond the size",
                { try $0.offers().peer(Wire.fileAccept($0.own()), Wire.fileAccept($0.own(), offset: 6, credit: 0)) }
            ),
        ]
        for (comment, body) in cases {
            try scripts.fails("unexpected_frame", "UnexpectedFrame", comment, ["R15.3-6", "R15.4-1"]) { try body($0) }
        }
        try scripts.works("a second FILE_DONE is ignored", ["R13.2-3"], flags: ["CrossedFrame"]) {
            try sent($0)
            try $0.peer(Wire.fileDone($0.own()), Wire.fileDone($0.own()))
        }
    }

    private func bad(_ scripts: AssociationWriter) throws {
        try scripts.fails("malformed", "ValueOutOfRange", "an offset beyond the size", ["R15.3-9"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), offset: 6, credit: 0))
        }
        try scripts.fails("malformed", "ValueOutOfRange", "offset and credit of 2^62", ["R15.3-9"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), offset: 5, credit: VarInt.maximum - 4))
        }
        try scripts.fails(
            "malformed", "Precedence", "offset and credit of 2^62 for a number that is unused", ["R15.3-9", "R15.4-1"]
        ) { try $0.peer(Wire.fileAccept($0.own(), offset: 5, credit: VarInt.maximum - 4)) }
        try scripts.works("nothing held, and another hash than that of nothing: reason 7", ["R15.3-10", "R15.7-4"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), digest: $0.sha256("x")))
        }
    }

    private func ends(_ scripts: AssociationWriter) throws {
        try scripts.works("the link ends: nothing is reported as delivered", ["R16.1-5", "R16.2-1"], section: "16.1") {
            try sent($0)
            try $0.offers().end()
        }
        try scripts.works("the app closes: FILE_CANCEL of reason 12", ["R16.1-5"], section: "16.1") {
            try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "he").app("close")
        }
        try scripts.works("the app closes behind FILE_END: FILE_DONE may still come", ["R16.1-5"], section: "16.1") {
            try sent($0)
            try $0.app("close").peer(Wire.fileDone($0.own()))
        }
    }
}
