import MultipeerScriptedPeer
import MultipeerWire

/// Several files at once, and frames at every place of a file's way (SPEC §15.3).
extension Section15 {
    static let content = Array("conformance test".utf8)

    /// Something that ends well on the link on which a case has done what it is about.
    private static func nextFile(_ index: UInt64, _ play: Play) throws(Interruption) -> Evidence {
        try play.offerFile(index, size: UInt64(content.count))
        return try play.completeFile(index, content).and(try play.expectAlive())
    }

    /// Frames for an accepted file, in one record where payload is encrypted, and CLOSE with a code.
    private static func faulty(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode,
        _ frames: @escaping @Sendable (Play, UInt64) -> [[UInt8]]
    ) -> ConformanceCase {
        ConformanceCase(
            "15.3-\(topic)", title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            try play.send(mixed: frames(play, play.number(0)))
            return try play.expectClose(code)
        }
    }

    private static func whole(_ play: Play, _ id: UInt64) -> [[UInt8]] {
        [
            WireBytes.fileData(id, offset: 0, content),
            WireBytes.fileEnd(id, digest: play.cryptography.sha256(content)),
        ]
    }

    static let several: [ConformanceCase] = [
        ConformanceCase(
            "15.3-two-files", "Two files in turn, piece by piece, and a message between", "R15.3-1 R13.2-1 R15.4-1",
            expects: "FILE_ACCEPT and FILE_DONE of both"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            try play.offerFile(1, size: UInt64(content.count))
            for end in [5, 9, content.count] {
                try play.sendFile(1, content, upTo: end)
                try play.sendMessage([1])
                try play.sendFile(0, content, upTo: end)
            }
            // The second one ends first.
            let second = try play.completeFile(1, content)
            return second.and(try play.completeFile(0, content)).and(try play.expectAlive())
        },
        ConformanceCase(
            "15.3-cancel-offered", "FILE_CANCEL in the record of FILE_OFFER", "R15.3-7",
            expects: "the next file is taken"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.open)
            let id = play.number(0)
            try play.peer.send(WireBytes.fileOffer(id, size: 8) + WireBytes.fileCancel(id))
            try play.roundTrip()
            return try nextFile(1, play)
        },
        ConformanceCase(
            "15.3-cancel-twice", "FILE_CANCEL twice", "R15.3-7 R13.2-3", expects: "the second is ignored"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: 8)
            let id = play.number(0)
            try play.peer.send(WireBytes.fileCancel(id) + WireBytes.fileCancel(id, reason: 4))
            try play.roundTrip()
            return try nextFile(1, play)
        },
        ConformanceCase(
            "15.3-cancel-with-end", "FILE_CANCEL in the record of FILE_END", "R15.3-7 R13.2-3",
            expects: "the next file is taken"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFile(0, size: UInt64(content.count))
            let id = play.number(0)
            try play.send(mixed: whole(play, id) + [WireBytes.fileCancel(id)])
            try play.roundTrip()
            return try nextFile(1, play)
        },
        faulty("data-behind-cancel", "FILE_DATA behind the sender's FILE_CANCEL", "R13.2-2", .unexpectedFrame) {
            _, id in
            [WireBytes.fileCancel(id), WireBytes.fileData(id, offset: 0, [1])]
        },
        faulty("end-behind-cancel", "FILE_END behind the sender's FILE_CANCEL", "R13.2-2", .unexpectedFrame) {
            play, id in
            [
                WireBytes.fileData(id, offset: 0, content), WireBytes.fileCancel(id),
                WireBytes.fileEnd(id, digest: play.cryptography.sha256(content)),
            ]
        },
        faulty("data-behind-end", "FILE_DATA behind FILE_END", "R15.3-3 R13.2-2", .unexpectedFrame) { play, id in
            whole(play, id) + [WireBytes.fileData(id, offset: UInt64(content.count), [1])]
        },
        faulty(
            "data-place-first", "FILE_DATA at a wrong offset behind FILE_CANCEL: its place comes first", "R15.4-1",
            .unexpectedFrame
        ) { _, id in [WireBytes.fileCancel(id), WireBytes.fileData(id, offset: 7, [1])] },
        faulty("accept-live", "FILE_ACCEPT of a file that the tester itself offers", "R15.3-12", .unexpectedFrame) {
            _, id in
            [WireBytes.fileAccept(id)]
        },
        faulty("done-live", "FILE_DONE of a file that the tester itself offers", "R15.3-12", .unexpectedFrame) {
            _, id in
            [WireBytes.fileDone(id)]
        },
    ]

    // MARK: Folders

    private static func member(_ path: String, _ type: UInt8 = 0, size: UInt64 = 0) -> [UInt8] {
        [type] + WireBytes.varint(size) + [0] + WireBytes.vector(Array(path.utf8))
    }

    /// Offers a folder with this manifest and content, and expects FILE_CANCEL with reason 11.
    private static func bad(
        _ topic: String, _ title: String, _ manifest: [UInt8], content: [UInt8] = []
    ) -> ConformanceCase {
        ConformanceCase(
            "15.8-\(topic)", "A folder \(title)", "R15.8-1",
            expects: "FILE_CANCEL with reason 11, and the link continues"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let bytes = manifest + content
            try play.offerFolder(0, manifest: manifest, content: content)
            let id = play.number(0)
            try play.sendFile(0, bytes)
            if play.ledger.files[id]?.isCancelled == false {
                try play.peer.send(WireBytes.fileEnd(id, digest: play.cryptography.sha256(bytes)))
            }
            try play.waitForEnd(of: id, by: "FILE_CANCEL")
            guard let file = play.ledger.files[id], !file.isDone, file.cancelReason == .badManifest else {
                throw .failed(
                    "FILE_DONE, or FILE_CANCEL of another reason, came in place of FILE_CANCEL with reason 11")
            }
            return Evidence("FILE_CANCEL bad_manifest").and(try play.expectAlive())
        }
    }

    static let folders: [ConformanceCase] = [
        ConformanceCase(
            "15.8-folder", "A folder with two files and an empty folder", "R15.8-1 R15.8-2",
            expects: "FILE_ACCEPT and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let manifest = member("a", size: 2) + member("bin/run", 1, size: 1) + member("empty", 2)
            try play.offerFolder(0, manifest: manifest, content: [1, 2, 3])
            return try play.completeFile(0, manifest + [1, 2, 3]).and(try play.expectAlive())
        },
        ConformanceCase(
            "15.8-empty", "A folder without members", "R15.8-1", expects: "FILE_ACCEPT and FILE_DONE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.offerFolder(0, manifest: [], content: [])
            return try play.completeFile(0, []).and(try play.expectAlive())
        },
        bad("parent", "with a path that leads out of it", member("a/../../b")),
        bad("root", "with a path that begins with a slash", member("/etc")),
        bad("dot", "with a part that is a full stop", member("./a")),
        bad("order", "whose paths descend", member("b") + member("a")),
        bad("twice", "with one path twice", member("a") + member("a")),
        bad("below-file", "with a path below a file, not next to it", member("a") + member("a!") + member("a/b")),
        bad("type", "with a member of an unknown type", member("a", 3)),
        bad("sized-folder", "with a folder that has a size", member("a", 2, size: 1), content: [1]),
        bad("sum", "whose files are shorter than what is offered", member("a", size: 1), content: [1, 2]),
        bad("sum-beyond", "whose files are longer than what is offered", member("a", size: 3), content: [1, 2]),
        bad("cut", "whose manifest ends within a member", Array(member("abc").dropLast())),
        bad(
            "deep", "with a path of 33 parts", member([String](repeating: "a", count: 33).joined(separator: "/"))),
    ]
}

extension Play {
    /// Offers a folder, and has it accepted.
    func offerFolder(_ index: UInt64, manifest: [UInt8], content: [UInt8]) throws(Interruption) {
        try offerFile(
            index, size: UInt64(manifest.count + content.count), type: FileKind.folder.rawValue,
            manifest: UInt64(manifest.count))
    }
}
