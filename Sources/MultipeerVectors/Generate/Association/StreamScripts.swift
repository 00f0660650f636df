internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/streams`: SPEC §15.6.
struct StreamScripts {
    let subject: SwiftSubject
    private typealias Wire = WireBytes

    func write() throws -> AssociationWriter {
        let scripts = AssociationWriter("streams", section: "15.6", subject: subject)
        for setting in AssociationFiles.settings { try whole(scripts, setting) }
        try oneWay(scripts)
        try sizes(scripts)
        try scripts.play(StreamRules.behindTheEnd)
        try stopped(scripts)
        try givenUp(scripts)
        try names(scripts)
        try endOfTheLink(scripts)
        return scripts
    }

    private func whole(_ scripts: AssociationWriter, _ setting: AssociationWriter.Setting) throws {
        let name = setting.isLesser ? "even" : "odd"
        try scripts.works("\(name): opened here, both ways, both ends", ["R15.6-3", "R15.6-7"], setting) {
            let id = $0.own()
            try $0.opens().writes(id, "hello").peer(Wire.streamData(id, "good day")).writes(id, " you")
                .stream("endStream", id).stream("takeStream", id, count: 4).peer(Wire.streamData(id, "!"))
                .peer(Wire.streamEnd(id, 9)).stream("takeStream", id, count: 100)
        }
        try scripts.works("\(name): opened there, both ways, both ends", ["R15.6-3", "R15.6-7"], setting) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamData(id, "hello"), Wire.streamEnd(id, 5)).writes(id, "answer")
                .stream("takeStream", id, count: 5).stream("endStream", id)
        }
        try scripts.works("\(name): a direction with no bytes ends at once", ["R15.6-3", "R15.6-7"], setting) {
            try $0.opens().stream("endStream", $0.own()).peer(Wire.streamEnd($0.own(), 0))
        }
        try scripts.works("\(name): after one direction has ended the other continues", ["R15.6-4"], setting) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamEnd(id, 0)).writes(id, "one").writes(id, "two")
                .peer(Wire.credit(3, id, 90_000)).stream("endStream", id)
        }
    }

    /// `credit` 0 (R15.6-8).
    private func oneWay(_ scripts: AssociationWriter) throws {
        try scripts.works("one way, opened here: it has ended with STREAM_END", ["R15.6-8"]) {
            try $0.opens(credit: 0).writes($0.own(), "all").stream("endStream", $0.own()).peer(
                Wire.streamStop($0.own()))
        }
        try scripts.works("one way, opened there: nothing is sent back", ["R15.6-8"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id, credit: 0), Wire.streamData(id, "all"), Wire.streamEnd(id, 3))
                .stream("takeStream", id, count: 3)
        }
        let frames: [(String, (UInt64) -> [UInt8])] = [
            ("STREAM_DATA", { Wire.streamData($0, "x") }), ("STREAM_END", { Wire.streamEnd($0, 0) }),
            ("STREAM_RESET", { Wire.streamReset($0) }),
        ]
        for (name, frame) in frames {
            try scripts.fails(
                "unexpected_frame", "EndedDirection", "one way, opened here: \(name) of the peer",
                ["R15.6-8", "R15.6-4"]
            ) { try $0.opens(credit: 0).peer(frame($0.own())) }
        }
        try scripts.works(
            "one way, opened there: CREDIT and STREAM_STOP are ignored", ["R15.6-8", "R13.4-4"], flags: ["CrossedFrame"]
        ) {
            let id = $0.peers()
            try $0.peer(
                Wire.opening(id, credit: 0), Wire.credit(3, id, 9), Wire.streamStop(id), Wire.streamData(id, "on"))
        }
        try scripts.works("one way, opened there: the app cannot write, end or reset it", ["R15.6-8"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id, credit: 0)).writes(id, "x").stream("endStream", id)
                .stream("resetStream", id, code: 0)
        }
        try scripts.works("one way, opened here: stopped by the peer", ["R15.6-5", "R15.6-8"]) {
            try $0.opens(credit: 0).peer(Wire.streamStop($0.own(), 1)).peer(Wire.streamStop($0.own(), 1))
        }
    }

    private func sizes(_ scripts: AssociationWriter) throws {
        try scripts.play(StreamRules.sizes + StreamRules.places)
        try scripts.fails(
            "unexpected_frame", "Precedence", "STREAM_DATA over the credit behind the end", ["R15.6-4", "R15.4-1"]
        ) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamEnd(id, 0)).peer(Wire.streamData(id, ""), fill: 40_000)
        }
    }

    /// STREAM_STOP, either way.
    private func stopped(_ scripts: AssociationWriter) throws {
        for code in [0, 1, 63, 70_000] as [UInt64] {
            try scripts.works("the peer stops: STREAM_RESET of code \(code), and no data that waits", ["R15.6-5"]) {
                try $0.opens().writes($0.own(), "", fill: 40_000).peer(Wire.streamStop($0.own(), code))
                    .peer(Wire.credit(3, $0.own(), 90_000), Wire.streamStop($0.own(), code)).writes($0.own(), "more")
                    .peer(Wire.streamEnd($0.own(), 0))
            }
        }
        try scripts.works(
            "STREAM_STOP that crosses STREAM_END is ignored", ["R13.4-4"], flags: ["CrossedFrame"], section: "13.4"
        ) {
            try $0.opens().stream("endStream", $0.own()).peer(Wire.streamStop($0.own(), 1), Wire.streamEnd($0.own(), 0))
        }
        try scripts.works("the app stops: what still comes is judged, and dropped", ["R15.6-6"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamData(id, "unread")).stream("stopStream", id, code: 1)
                .peer(Wire.streamData(id, "dropped"), Wire.streamReset(id, 1)).stream("takeStream", id, count: 9)
                .stream("stopStream", id, code: 1).stream("endStream", id)
        }
        try scripts.works("the app stops, and STREAM_END was on its way", ["R15.6-6", "R15.6-3"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id)).stream("stopStream", id, code: 64)
                .peer(Wire.streamData(id, "dropped"), Wire.streamEnd(id, 7))
        }
        try scripts.fails(
            "malformed", "WrongSize", "the app stops: a wrong size is one all the same", ["R15.6-6", "R15.6-3"]
        ) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id)).stream("stopStream", id, code: 64)
                .peer(Wire.streamData(id, "dropped"), Wire.streamEnd(id, 8))
        }
        try scripts.fails(
            "credit_exceeded", "Overdraft", "the app stops: an overdraft is one all the same", ["R15.6-6", "R13.3-1"]
        ) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id)).stream("stopStream", id, code: 0).peer(Wire.streamData(id, ""), fill: 32_768)
                .peer(Wire.streamData(id, "x"))
        }
        try scripts.works("the app ends a stream altogether: STREAM_STOP and STREAM_RESET", ["R15.6-4"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id)).writes(id, "half").stream("stopStream", id, code: 2)
                .stream("resetStream", id, code: 2).peer(Wire.streamReset(id, 2)).peer(Wire.streamStop(id, 2))
        }
    }

    private func givenUp(_ scripts: AssociationWriter) throws {
        for code in [0, 3, 64, VarInt.maximum] as [UInt64] {
            try scripts.works("STREAM_RESET of code \(code): what is not taken is gone", ["R15.6-7"]) {
                let id = $0.peers()
                try $0.peer(Wire.opening(id), Wire.streamData(id, "hello")).stream("takeStream", id, count: 2)
                    .peer(Wire.streamReset(id, code)).stream("takeStream", id, count: 9).writes(id, "still")
            }
        }
        try scripts.works("the end stands behind the last byte", ["R15.6-7"]) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamData(id, "abc"), Wire.streamEnd(id, 3))
                .stream("takeStream", id, count: 2).stream("takeStream", id, count: 1).stream(
                    "takeStream", id, count: 1)
        }
        try scripts.works("the app gives its direction up, and cannot end it then", ["R15.6-4"]) {
            try $0.opens().writes($0.own(), "half").stream("resetStream", $0.own(), code: 70)
                .stream("endStream", $0.own()).writes($0.own(), "more").stream("resetStream", $0.own(), code: 71)
                .peer(Wire.streamData($0.own(), "on"))
        }
        try scripts.works("100 streams in turn", ["R13.2-1", "R13.5-1"]) { script in
            for index in 0..<UInt64(100) {
                let id = script.peers(index)
                try script.quietly(Wire.opening(id, credit: 0)).quietly(Wire.streamEnd(id, 0)).hear()
            }
        }
    }

    private func names(_ scripts: AssociationWriter) throws {
        try scripts.works("no name, and one of 255 bytes", ["R15.6-1"]) {
            try $0.opens("").opens(String(repeating: "x", count: 255))
                .peer(
                    Wire.opening($0.peers(0), name: ""),
                    Wire.opening($0.peers(1), name: String(repeating: "é", count: 127)))
        }
        try scripts.play(StreamRules.names + StreamRules.wrongNumberOverCredit)
    }

    private func endOfTheLink(_ scripts: AssociationWriter) throws {
        try scripts.works(
            "the link ends: a direction that had ended stays complete", ["R16.1-5", "R13.5-6"], section: "16.1"
        ) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamData(id, "abc"), Wire.streamEnd(id, 3)).end()
                .stream("takeStream", id, count: 9)
        }
        try scripts.works(
            "the link ends: the bytes of a direction that has not ended are gone", ["R16.1-5", "R13.5-6"],
            section: "16.1"
        ) {
            let id = $0.peers()
            try $0.peer(Wire.opening(id), Wire.streamData(id, "abc")).end().stream("takeStream", id, count: 9)
        }
        try scripts.works("the app closes: both directions are given up", ["R16.1-5"], section: "16.1") {
            try $0.opens().writes($0.own(), "x").app("close")
        }
        try scripts.works("the app closes: what has ended is not given up", ["R16.1-5"], section: "16.1") {
            try $0.opens().stream("endStream", $0.own()).app("close")
        }
    }
}
