internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

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
            [
                "file": .wide(script.own()), "sha256": .hex(script.sha256(beginning)),
                "whole": .hex(script.sha256(whole)),
            ])
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
                .peer(
                    Wire.fileAccept($0.own(1)),
                    Wire.fileAccept($0.own(0), offset: 2, digest: $0.sha256("he"), credit: 3))
            try hash($0, "he")
            try $0.supplies($0.own(0), "llo").supplies($0.own(1))
        }
        try scripts.works("offered anew behind reason 7, without a tag", ["R15.3-10", "R13.2-1"]) {
            try held($0, 2, $0.sha256("ha"))
            try hash($0, "he")
            try $0.peer(Wire.fileCancel($0.own(), reason: 7)).offers().peer(Wire.fileAccept($0.own(1))).supplies(
                $0.own(1))
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
        try scripts.fails(
            "malformed", "ValueOutOfRange", "FILE_DATA from the beginning though two bytes are held", ["R15.3-3"]
        ) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("he"), whole: $0.sha256("hello"))
                .peer(Wire.fileData($0.peers(), offset: 0, Array("hello".utf8)))
        }
        try scripts.works("more is held than is offered: the app cannot take it so", ["R15.7-2"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 6, digest: $0.sha256("hello!"), whole: $0.sha256("hello")).accepts(
                $0.peers())
        }
        try scripts.works("the sender finds another beginning: reason 7", ["R15.7-3"], flags: ["Cancelled"]) {
            try offer($0)
            try $0.accepts($0.peers(), offset: 2, digest: $0.sha256("ha"), whole: $0.sha256("hallo"))
                .peer(Wire.fileCancel($0.peers(), reason: 7))
        }
    }
}
