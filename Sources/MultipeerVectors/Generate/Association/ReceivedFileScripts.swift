internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

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
        try requests(scripts)
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
            (
                "ValueOutOfRange", "an offset that is too low", "R15.3-3",
                { try $0.peer(data($0, 0, "he"), data($0, 1, "l")) }
            ),
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
            (
                "FILE_DATA before FILE_ACCEPT", "R15.3-3",
                {
                    try offer($0)
                    try $0.peer(data($0))
                }
            ),
            (
                "FILE_END before FILE_ACCEPT", "R15.3-4",
                {
                    try offer($0)
                    try $0.peer(end($0))
                }
            ),
            (
                "FILE_END of an empty file before FILE_ACCEPT", "R15.3-4",
                {
                    try offer($0, size: 0)
                    try $0.peer(end($0, ""))
                }
            ),
            (
                "FILE_END before all of the size", "R15.3-4",
                {
                    try receiving($0)
                    try $0.peer(data($0, 0, "hell"), end($0, "hell"))
                }
            ),
            (
                "FILE_END of a file of which nothing came", "R15.3-4",
                {
                    try receiving($0)
                    try $0.peer(end($0))
                }
            ),
            (
                "FILE_DATA behind FILE_END", "R15.3-3",
                {
                    try storing($0)
                    try $0.peer(data($0, 5, "!"))
                }
            ),
            (
                "a second FILE_END", "R15.3-4",
                {
                    try storing($0)
                    try $0.peer(end($0))
                }
            ),
        ]
        for (comment, requirement, body) in cases {
            try scripts.fails("unexpected_frame", "UnexpectedFrame", comment, [requirement, "R15.4-1"]) { try body($0) }
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
        try scripts.works(
            "the app cancels: FILE_DATA and FILE_END on the way are dropped", ["R15.3-7"], flags: ["CrossedFrame"]
        ) {
            try receiving($0)
            try $0.peer(data($0, 0, "he")).file("cancelFile", $0.peers(), reason: 2)
                .peer(data($0, 2, "llo"), end($0), Wire.fileCancel($0.peers(), reason: 2))
        }
        try scripts.works(
            "the app cancels: a wrong hash changes nothing any more", ["R15.3-7"], flags: ["CrossedFrame"]
        ) {
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
        try scripts.fails(
            "credit_exceeded", "Overdraft", "cancelled here: FILE_DATA over the credit", ["R15.3-7", "R13.3-1"]
        ) {
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
        try scripts.works(
            "the sender cancels while the file is stored: confirming comes too late", ["R15.3-7"], flags: ["Cancelled"]
        ) {
            try storing($0)
            try $0.peer(Wire.fileCancel($0.peers())).file("confirmFile", $0.peers())
        }
        try scripts.works("FILE_CANCEL crosses FILE_DONE", ["R13.2-3"], flags: ["CrossedFrame"]) {
            try storing($0)
            try $0.file("confirmFile", $0.peers()).peer(Wire.fileCancel($0.peers()))
        }
        try scripts.works("FILE_CANCEL of both crosses: no answer to the answer", ["R15.3-7"], flags: ["CrossedFrame"])
        {
            try receiving($0)
            try $0.file("cancelFile", $0.peers(), reason: 6).peer(Wire.fileCancel($0.peers(), reason: 2))
                .peer(Wire.fileOffer($0.peers(1), size: 5))
        }
        try scripts.fails(
            "unexpected_frame", "EndedNumber", "FILE_DATA behind the sender's FILE_CANCEL", ["R13.2-2", "R15.3-7"]
        ) {
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
        try scripts.fails("malformed", "Precedence", "a wrong number over the credit", ["R15.3-2", "R15.3-1"]) {
            script in
            for index in 0..<UInt64(32) { try script.peer(Wire.fileOffer(script.peers(index), size: 5)) }
            try script.peer(Wire.fileOffer(script.peers(33), size: 5))
        }
    }

    /// What the app may ask for, and what changes nothing (Vectors/README.md).
    private func requests(_ scripts: AssociationWriter) throws {
        try scripts.works("accepting with more held than the size changes nothing", ["R15.3-9"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 6, digest: $0.sha256("hello!"), whole: $0.sha256("hello"))
                .accepts($0.peers()).peer(data($0), end($0)).file("confirmFile", $0.peers())
        }
        try scripts.works("credit beyond what is lacking is cut to that", ["R13.5-1"]) {
            try offer($0)
            try $0.accepts($0.peers(), credit: 100).peer(data($0), end($0)).file("confirmFile", $0.peers())
        }
        try scripts.works("accepting twice: the second changes nothing", ["R15.3-3"]) {
            try receiving($0)
            try $0.accepts($0.peers()).peer(data($0), end($0))
        }
        try scripts.works(
            "the app closes while a file is stored: it is stored to the end", ["R16.1-5"], section: "16.1"
        ) {
            try storing($0)
            try $0.app("close").file("confirmFile", $0.peers())
        }
        for request in ["cancelFile", "refuseFile"] {
            try scripts.works("\(request) of a file that has ended changes nothing", ["R15.3-7"]) {
                try storing($0)
                try $0.file("confirmFile", $0.peers()).file(request, $0.peers(), reason: 2)
            }
            try scripts.works("\(request) twice: the second changes nothing", ["R15.3-7"], flags: ["Cancelled"]) {
                try receiving($0)
                try $0.file(request, $0.peers(), reason: 2).file(request, $0.peers(), reason: 3)
                    .peer(Wire.fileCancel($0.peers(), reason: 2))
            }
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
