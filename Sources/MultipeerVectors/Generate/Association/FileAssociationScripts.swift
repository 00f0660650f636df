internal import MultipeerCore
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
        return scripts
    }

    /// Offered, accepted, sent: five bytes.
    private func sent(_ script: AssociationScript) throws {
        try script.offers().peer(Wire.fileAccept(script.own())).supplies(script.own())
    }

    /// A file with a tag, of which the peer holds two bytes; this side hashes.
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
                .supplies(two, "abc").supplies(one, "llo").supplies(two, "def").peer(Wire.fileDone(two), Wire.fileDone(one))
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
                size: 100, name: "src", type: 2, tag: Array(repeating: 9, count: 16), modified: 1_700_000_000, manifest: 25)
        }
        try scripts.works("a file that may be executed", ["R15.3-8"]) { try $0.offers(type: 1, modified: 5) }
    }

    private func refused(_ scripts: AssociationWriter) throws {
        for reason in [1, 2, 3, 5, 6, 9, 10, 11, 12, 13] as [UInt8] {
            try scripts.works("the receiver refuses, reason \(reason): FILE_CANCEL with it", ["R15.3-7"], flags: ["Declined"]) {
                try $0.offers().peer(Wire.fileCancel($0.own(), reason: reason)).peer(Wire.fileCancel($0.own(), reason: reason))
            }
        }
        for reason in [0, 14, 0xFF] as [UInt8] {
            try scripts.works(
                "the receiver refuses, unknown reason \(reason): FILE_CANCEL with 2", ["R15.3-7"], flags: ["UnknownValue"]
            ) { try $0.offers().peer(Wire.fileCancel($0.own(), reason: reason)) }
        }
        let states: [(String, Body)] = [
            ("while bytes are on their way", { try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "he") }),
            ("while bytes wait for credit", { try $0.offers().peer(Wire.fileAccept($0.own(), credit: 1)).supplies($0.own()) }),
            ("while the beginning is hashed", { try hashing($0) }), ("behind FILE_END", { try sent($0) }),
        ]
        for (comment, body) in states {
            try scripts.works("the receiver cancels \(comment)", ["R15.3-7"], flags: ["Cancelled"]) {
                try body($0)
                try $0.peer(Wire.fileCancel($0.own(), reason: 9)).supplies($0.own(), "l").peer(Wire.credit(4, $0.own(), 9))
            }
        }
    }

    private func cancelled(_ scripts: AssociationWriter) throws {
        for reason in [2, 4, 8, 10, 12, 13] {
            try scripts.works("the app cancels its offer, reason \(reason)", ["R15.3-7"], flags: ["Cancelled"]) {
                try $0.offers().file("cancelFile", $0.own(), reason: reason)
            }
        }
        try scripts.works("the app cancels while it sends; answers on the way are ignored", ["R13.2-3", "R15.3-7"], flags: ["CrossedFrame"]) {
            try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "he").file("cancelFile", $0.own(), reason: 2)
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
            try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "hell").app("sourceChanged", ["file": .wide($0.own())])
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
                { try $0.offers().peer(Wire.fileAccept($0.own())).supplies($0.own(), "hell").peer(Wire.fileDone($0.own())) }
            ),
            (
                "a second FILE_ACCEPT whose offset is beyond the size",
                { try $0.offers().peer(Wire.fileAccept($0.own()), Wire.fileAccept($0.own(), offset: 6, credit: 0)) }
            ),
        ]
        for (comment, body) in cases {
            try scripts.fails("unexpected_frame", "UnexpectedFrame", comment, ["R15.3-6", "R15.4-1"], body)
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

/// `association/files-received`: the receiver's table of SPEC §15.3.
struct ReceivedFileScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private typealias Body = (AssociationScript) throws -> Void

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("files-received", section: "15.3", subject: subject)
        for setting in AssociationFiles.settings { try whole(scripts, setting) }
        try several(scripts)
        try data(scripts)
        try early(scripts)
        try cancelledHere(scripts)
        try cancelledThere(scripts)
        try offers(scripts)
        try ends(scripts)
        return scripts
    }

    private func offer(_ script: AssociationScript, size: UInt64 = 5) throws {
        try script.peer(Wire.fileOffer(script.peers(), size: size, name: Array("../a:b.txt".utf8)))
    }

    private func receiving(_ script: AssociationScript, size: UInt64 = 5) throws {
        try offer(script, size: size)
        try script.accepts(script.peers())
    }

    private func data(_ script: AssociationScript, _ offset: UInt64 = 0, _ text: String = "hello") -> [UInt8] {
        Wire.fileData(script.peers(), offset: offset, Array(text.utf8))
    }

    private func end(_ script: AssociationScript, _ text: String = "hello") -> [UInt8] {
        Wire.fileEnd(script.peers(), digest: script.sha256(text))
    }

    /// All bytes came, and the app stores the file.
    private func storing(_ script: AssociationScript) throws {
        try receiving(script)
        try script.peer(data(script), end(script))
    }

    private func whole(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let name = setting.isLesser ? "odd" : "even"
        try scripts.works("\(name): a file, from offer to FILE_DONE", ["R15.3-1", "R15.3-6"], setting) {
            try storing($0)
            try $0.file("confirmFile", $0.peers())
        }
        try scripts.works("\(name): an empty file", ["R15.3-4", "R15.3-6"], setting) {
            try receiving($0, size: 0)
            try $0.peer(end($0, "")).file("confirmFile", $0.peers())
        }
        try scripts.works("\(name): byte by byte", ["R15.3-3"], setting) { script in
            try receiving(script)
            for (index, letter) in "hello".enumerated() {
                try script.peer(data(script, UInt64(index), String(letter)))
            }
            try script.peer(end(script))
        }
    }

    private func several(_ scripts: AssociationWriter) throws {
        try scripts.works("two files at once, their bytes between each other", ["R15.3-3"]) {
            let (one, two) = ($0.peers(0), $0.peers(1))
            try $0.peer(Wire.fileOffer(one, size: 2), Wire.fileOffer(two, size: 2)).accepts(two).accepts(one)
                .peer(Wire.fileData(one, offset: 0, [1]), Wire.fileData(two, offset: 0, [3]))
                .peer(Wire.fileData(one, offset: 1, [2]), Wire.fileData(two, offset: 1, [4]))
                .peer(Wire.fileEnd(two, digest: $0.samples.crypto.sha256([3, 4]))).file("confirmFile", two)
                .peer(Wire.fileEnd(one, digest: $0.samples.crypto.sha256([1, 2]))).file("confirmFile", one)
        }
        try scripts.works("a folder, with tag, time and manifest", ["R15.3-8"]) {
            try $0.peer(
                Wire.fileOffer(
                    $0.peers(), size: 100, name: Array("src".utf8), tag: Array(repeating: 9, count: 16), type: 2,
                    modified: 1_700_000_000, manifest: 25))
        }
        try scripts.works("a file that may be executed", ["R15.3-8"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 5, type: 1))
        }
    }

    private func data(_ scripts: AssociationWriter) throws {
        let cases: [(String, String, String, Body)] = [
            ("ValueOutOfRange", "an offset that is too high", "R15.3-3", { try $0.peer(data($0, 1, "x")) }),
            ("ValueOutOfRange", "an offset that is too low", "R15.3-3", { try $0.peer(data($0, 0, "he"), data($0, 1, "l")) }),
            ("ValueOutOfRange", "the largest offset", "R15.3-3", { try $0.peer(data($0, VarInt.maximum, "l")) }),
            ("EmptyData", "no data", "R15.3-3", { try $0.peer(data($0, 0, "")) }),
            ("ExcessData", "more data than the size", "R15.3-3", { try $0.peer(data($0, 0, "hello!")) }),
            ("ExcessData", "data behind all of the size", "R15.3-3", { try $0.peer(data($0), data($0, 5, "!")) }),
        ]
        for (flag, comment, requirement, body) in cases {
            try scripts.fails("malformed", flag, comment, [requirement]) {
                try receiving($0)
                try body($0)
            }
        }
        try scripts.fails("malformed", "Precedence", "beyond the size and the credit", ["R15.3-3", "R15.4-1"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 50)).accepts($0.peers())
                .peer(Wire.fileData($0.peers(), offset: 0, []), fill: 51)
        }
        try scripts.fails("malformed", "Precedence", "a wrong offset over the credit", ["R15.3-3", "R15.4-1"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 90_000)).accepts($0.peers(), credit: 32_768)
                .peer(Wire.fileData($0.peers(), offset: 1, []), fill: 40_000)
        }
        try scripts.fails("malformed", "Precedence", "no data before FILE_ACCEPT", ["R15.3-3", "R15.4-1"]) {
            try offer($0)
            try $0.peer(data($0, 0, ""))
        }
        try scripts.works("another hash: FILE_CANCEL of reason 5", ["R15.3-5"], flags: ["HashMismatch"]) {
            try receiving($0)
            try $0.peer(data($0), end($0, "other")).file("confirmFile", $0.peers())
                .peer(Wire.fileCancel($0.peers(), reason: 5))
        }
    }

    private func early(_ scripts: AssociationWriter) throws {
        let cases: [(String, String, Body)] = [
            ("FILE_DATA before FILE_ACCEPT", "R15.3-3", { try offer($0); try $0.peer(data($0)) }),
            ("FILE_END before FILE_ACCEPT", "R15.3-4", { try offer($0); try $0.peer(end($0)) }),
            (
                "FILE_END of an empty file before FILE_ACCEPT", "R15.3-4",
                { try offer($0, size: 0); try $0.peer(end($0, "")) }
            ),
            ("FILE_END before all of the size", "R15.3-4", { try receiving($0); try $0.peer(data($0, 0, "hell"), end($0, "hell")) }),
            ("FILE_END of a file of which nothing came", "R15.3-4", { try receiving($0); try $0.peer(end($0)) }),
            ("FILE_DATA behind FILE_END", "R15.3-3", { try storing($0); try $0.peer(data($0, 5, "!")) }),
            ("a second FILE_END", "R15.3-4", { try storing($0); try $0.peer(end($0)) }),
        ]
        for (comment, requirement, body) in cases {
            try scripts.fails("unexpected_frame", "UnexpectedFrame", comment, [requirement, "R15.4-1"], body)
        }
    }

    /// The app refuses or cancels; what was on its way is judged and dropped (R15.3-7).
    private func cancelledHere(_ scripts: AssociationWriter) throws {
        for reason in [1, 2, 3, 5, 6, 9, 10, 11, 12, 13] {
            try scripts.works("the app declines, reason \(reason)", ["R15.3-7"], flags: ["Declined"]) {
                try offer($0)
                try $0.file("refuseFile", $0.peers(), reason: reason)
                    .peer(Wire.fileCancel($0.peers(), reason: UInt8(reason)))
            }
        }
        try scripts.works("the app cancels: FILE_DATA and FILE_END on the way are dropped", ["R15.3-7"], flags: ["CrossedFrame"]) {
            try receiving($0)
            try $0.peer(data($0, 0, "he")).file("cancelFile", $0.peers(), reason: 2)
                .peer(data($0, 2, "llo"), end($0), Wire.fileCancel($0.peers(), reason: 2))
        }
        try scripts.works("the app cancels: a wrong hash changes nothing any more", ["R15.3-7"], flags: ["CrossedFrame"]) {
            try receiving($0)
            try $0.file("cancelFile", $0.peers(), reason: 2).peer(data($0), end($0, "other"))
                .peer(Wire.fileCancel($0.peers(), reason: 2))
        }
        try scripts.works("the app cannot store the file", ["R15.3-6", "R15.3-7"]) {
            try storing($0)
            try $0.file("cancelFile", $0.peers(), reason: 9).peer(Wire.fileCancel($0.peers(), reason: 9))
        }
        let faults: [(String, String, String, Body)] = [
            ("malformed", "ValueOutOfRange", "FILE_DATA at a wrong offset", { try $0.peer(data($0, 1, "ello")) }),
            ("malformed", "ExcessData", "FILE_DATA beyond the size", { try $0.peer(data($0, 0, "hello!")) }),
            ("unexpected_frame", "UnexpectedFrame", "FILE_END before all of the size", { try $0.peer(end($0)) }),
            ("unexpected_frame", "UnexpectedFrame", "a second FILE_END", { try $0.peer(data($0), end($0), end($0)) }),
            (
                "unexpected_frame", "UnexpectedFrame", "FILE_DATA behind FILE_END",
                { try $0.peer(data($0), end($0), data($0, 5, "!")) }
            ),
        ]
        for (code, flag, comment, body) in faults {
            try scripts.fails(code, flag, "cancelled here: \(comment)", ["R15.3-7"]) {
                try receiving($0)
                try $0.file("cancelFile", $0.peers(), reason: 2)
                try body($0)
            }
        }
        try scripts.fails("credit_exceeded", "Overdraft", "cancelled here: FILE_DATA over the credit", ["R15.3-7", "R13.3-1"]) {
            try $0.peer(Wire.fileOffer($0.peers(), size: 90_000)).accepts($0.peers(), credit: 40_000)
                .file("cancelFile", $0.peers(), reason: 2).peer(Wire.fileData($0.peers(), offset: 0, []), fill: 40_001)
        }
        for (name, frame) in [("FILE_DATA", { data($0) }), ("FILE_END", { end($0) })]
            as [(String, (AssociationScript) -> [UInt8])]
        {
            try scripts.fails("unexpected_frame", "UnexpectedFrame", "declined: \(name)", ["R15.3-7", "R15.3-3"]) {
                try offer($0)
                try $0.file("refuseFile", $0.peers(), reason: 1).peer(frame($0))
            }
        }
        try scripts.fails("unexpected_frame", "EndedNumber", "cancelled by both: FILE_DATA", ["R13.2-2"]) {
            try receiving($0)
            try $0.file("cancelFile", $0.peers(), reason: 2).peer(Wire.fileCancel($0.peers(), reason: 2), data($0))
        }
    }

    private func cancelledThere(_ scripts: AssociationWriter) throws {
        for reason in [2, 4, 7, 8, 10, 12, 13] as [UInt8] {
            try scripts.works("the sender cancels, reason \(reason)", ["R15.3-7"], flags: ["Cancelled"]) {
                try receiving($0)
                try $0.peer(data($0, 0, "he"), Wire.fileCancel($0.peers(), reason: reason))
            }
        }
        for reason in [0, 14, 0x82] as [UInt8] {
            try scripts.works(
                "the sender cancels, unknown reason \(reason), which counts as 2", ["R15.3-7"], flags: ["UnknownValue"]
            ) {
                try offer($0)
                try $0.peer(Wire.fileCancel($0.peers(), reason: reason)).accepts($0.peers())
            }
        }
        try scripts.works("the sender cancels while the file is stored: confirming comes too late", ["R15.3-7"], flags: ["Cancelled"]) {
            try storing($0)
            try $0.peer(Wire.fileCancel($0.peers())).file("confirmFile", $0.peers())
        }
        try scripts.works("FILE_CANCEL crosses FILE_DONE", ["R13.2-3"], flags: ["CrossedFrame"]) {
            try storing($0)
            try $0.file("confirmFile", $0.peers()).peer(Wire.fileCancel($0.peers()))
        }
        try scripts.works("FILE_CANCEL of both crosses: no answer to the answer", ["R15.3-7"], flags: ["CrossedFrame"]) {
            try receiving($0)
            try $0.file("cancelFile", $0.peers(), reason: 6).peer(Wire.fileCancel($0.peers(), reason: 2))
                .peer(Wire.fileOffer($0.peers(1), size: 5))
        }
        try scripts.fails("unexpected_frame", "EndedNumber", "FILE_DATA behind the sender's FILE_CANCEL", ["R13.2-2", "R15.3-7"]) {
            try receiving($0)
            try $0.peer(Wire.fileCancel($0.peers()), data($0))
        }
    }

    private func offers(_ scripts: AssociationWriter) throws {
        let bad: [(String, String, String, (UInt64) -> [UInt8])] = [
            ("malformed", "ValueOutOfRange", "a size of 2^53", { Wire.fileOffer($0, size: 1 << 53) }),
            ("unsupported", "UnknownCritical", "type 3", { Wire.fileOffer($0, size: 5, type: 3) }),
            ("malformed", "ValueOutOfRange", "a manifest of a file", { Wire.fileOffer($0, size: 5, manifest: 1) }),
            (
                "malformed", "ValueOutOfRange", "a manifest above the size",
                { Wire.fileOffer($0, size: 5, type: 2, manifest: 6) }
            ),
        ]
        for (code, flag, comment, frame) in bad {
            try scripts.fails(code, flag, "FILE_OFFER: \(comment)", ["R15.3-8"]) { try $0.peer(frame($0.peers())) }
        }
        try scripts.fails("malformed", "Precedence", "a wrong number over the credit", ["R15.3-2", "R15.3-1"]) { script in
            for index in 0..<UInt64(32) { try script.peer(Wire.fileOffer(script.peers(index), size: 5)) }
            try script.peer(Wire.fileOffer(script.peers(33), size: 5))
        }
    }

    private func ends(_ scripts: AssociationWriter) throws {
        try scripts.works("the link ends: no file is complete", ["R16.1-5", "R16.2-1"], section: "16.1") {
            try receiving($0)
            try $0.peer(data($0)).end()
        }
        try scripts.works("the app closes: FILE_CANCEL of reason 12", ["R16.1-5"], section: "16.1") {
            try receiving($0)
            try $0.peer(data($0, 0, "he")).app("close")
        }
    }
}

/// `association/resume`: SPEC §15.7.
struct ResumeScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes
    private let tag = [UInt8](repeating: 7, count: 16)

    init(subject: SwiftSubject) { self.subject = subject }

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("resume", section: "15.7", subject: subject)
        try sent(scripts)
        try received(scripts)
        return scripts
    }

    private func hash(_ script: AssociationScript, _ beginning: String, whole: String = "hello") throws {
        try script.app(
            "sourceHash",
            ["file": .wide(script.own()), "sha256": .hex(script.sha256(beginning)), "whole": .hex(script.sha256(whole))])
    }

    private func held(_ script: AssociationScript, _ offset: UInt64, _ digest: [UInt8], credit: UInt64 = 1_000) throws {
        try script.offers(tag: tag)
            .peer(Wire.fileAccept(script.own(), offset: offset, digest: digest, credit: credit))
    }

    private func sent(_ scripts: AssociationWriter) throws {
        try scripts.works("the rest of a file of which two bytes are held", ["R15.3-10", "R15.3-3"]) {
            try held($0, 2, $0.sha256("he"))
            try hash($0, "he")
            try $0.supplies($0.own(), "llo").peer(Wire.fileDone($0.own()))
        }
        try scripts.works("another beginning: reason 7, and no data", ["R15.3-10"]) {
            try held($0, 2, $0.sha256("ha"))
            try hash($0, "he")
            try $0.supplies($0.own(), "llo").peer(Wire.fileCancel($0.own(), reason: 7))
        }
        try scripts.works("all of it is held: FILE_END, and no data", ["R15.7-2", "R15.3-4"]) {
            try held($0, 5, $0.sha256("hello"), credit: 0)
            try hash($0, "hello")
            try $0.peer(Wire.fileDone($0.own()))
        }
        try scripts.works("all of it is held, with another hash", ["R15.3-10"]) {
            try held($0, 5, $0.sha256("other"), credit: 0)
            try hash($0, "hello")
        }
        try scripts.works("no tag, and something is held: reason 7, and nothing is hashed", ["R15.3-10", "R15.7-2"]) {
            try $0.offers().peer(Wire.fileAccept($0.own(), offset: 2, digest: $0.sha256("he"), credit: 3))
        }
        try scripts.works("a tag, and nothing is held", ["R15.7-4"]) {
            try held($0, 0, FileAccept.digestOfNothing)
            try $0.supplies($0.own())
        }
        try scripts.fails("malformed", "ValueOutOfRange", "more is held than there is", ["R15.3-9"]) {
            try held($0, 6, $0.sha256("hello!"))
        }
        try scripts.works("the source has changed while the beginning was hashed: reason 8", ["R15.3-11"]) {
            try held($0, 2, $0.sha256("he"))
            try $0.app("sourceChanged", ["file": .wide($0.own())])
        }
        try scripts.works("credit behind the beginning counts from there", ["R13.3-1", "R15.3-9"]) {
            try held($0, 2, $0.sha256("he"), credit: 1)
            try hash($0, "he")
            try $0.supplies($0.own(), "llo").peer(Wire.credit(4, $0.own(), 4), Wire.credit(4, $0.own(), 5))
        }
        try scripts.works("two live offers of one tag: one is resumed, the other begins anew", ["R15.7-2"]) {
            try $0.offers(tag: tag).offers(tag: tag)
                .peer(Wire.fileAccept($0.own(1)), Wire.fileAccept($0.own(0), offset: 2, digest: $0.sha256("he"), credit: 3))
            try hash($0, "he")
            try $0.supplies($0.own(0), "llo").supplies($0.own(1))
        }
        try scripts.works("offered anew behind reason 7, without a tag", ["R15.3-10", "R13.2-1"]) {
            try held($0, 2, $0.sha256("ha"))
            try hash($0, "he")
            try $0.peer(Wire.fileCancel($0.own(), reason: 7)).offers().peer(Wire.fileAccept($0.own(1))).supplies($0.own(1))
        }
    }

    private func received(_ scripts: AssociationWriter) throws {
        func offer(_ script: AssociationScript, size: UInt64 = 5) throws {
            try script.peer(Wire.fileOffer(script.peers(), size: size, tag: tag))
        }
        try scripts.works("a file of which two bytes are held", ["R15.7-2", "R15.3-3"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("he"), whole: $0.sha256("hello"))
                .peer(
                    Wire.fileData($0.peers(), offset: 2, Array("llo".utf8)),
                    Wire.fileEnd($0.peers(), digest: $0.sha256("hello"))
                ).file("confirmFile", $0.peers())
        }
        try scripts.works("the hash of FILE_END covers what is held", ["R15.3-5"], flags: ["HashMismatch"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("he"), whole: $0.sha256("hello"))
                .peer(
                    Wire.fileData($0.peers(), offset: 2, Array("llo".utf8)),
                    Wire.fileEnd($0.peers(), digest: $0.sha256("llo")))
        }
        try scripts.works("all of it is held: FILE_END and FILE_DONE, no data", ["R15.7-2"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 5, digest: $0.sha256("hello"), whole: $0.sha256("hello"))
                .peer(Wire.fileEnd($0.peers(), digest: $0.sha256("hello"))).file("confirmFile", $0.peers())
        }
        try scripts.works("nothing is held: the hash of no bytes", ["R15.7-4"]) {
            try offer($0)
            try $0.accepts($0.peers())
        }
        try scripts.works("a beginning of more than 4 GiB: credit and data count from there", ["R15.3-3", "R13.3-1"]) {
            let offset: UInt64 = 1 << 32 + 1
            try offer($0, size: offset + 5)
            try $0.accepts($0.peers(), offset: offset, digest: $0.sha256("held"), whole: $0.sha256("whole"))
                .peer(
                    Wire.fileData($0.peers(), offset: offset, Array("hello".utf8)),
                    Wire.fileEnd($0.peers(), digest: $0.sha256("whole")))
        }
        try scripts.fails("malformed", "ValueOutOfRange", "FILE_DATA from the beginning though two bytes are held", ["R15.3-3"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("he"), whole: $0.sha256("hello"))
                .peer(Wire.fileData($0.peers(), offset: 0, Array("hello".utf8)))
        }
        try scripts.works("more is held than is offered: the app cannot take it so", ["R15.7-2"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 6, digest: $0.sha256("hello!"), whole: $0.sha256("hello")).accepts($0.peers())
        }
        try scripts.works("the sender finds another beginning: reason 7", ["R15.7-3"], flags: ["Cancelled"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("ha"), whole: $0.sha256("hallo"))
                .peer(Wire.fileCancel($0.peers(), reason: 7))
        }
    }
}
