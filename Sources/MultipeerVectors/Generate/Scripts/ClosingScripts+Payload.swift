internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// What CLOSE means for messages, streams and files: R13.6-1, R16.1-2, R16.1-3, R16.1-5.
extension ClosingScripts {
    func payload(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try acknowledged(scripts, setting)
        try afterOwnClose(scripts, setting)
        try givenUp(scripts, setting)
    }

    private func sends(_ script: Script, _ text: String, tag: Int) throws {
        try script.app("send", ["message": .hex(Array(text.utf8)), "tag": .integer(tag)])
    }

    private func acknowledged(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for preference in [0, 1] as [UInt8] {
            let kind: RecordKind = preference == 0 ? .authenticated : .encrypted
            try scripts.works(
                setting, "the app closes: ACK before CLOSE; preference \(preference)", ["R13.6-1", "R16.1-1"],
                section: "13.6"
            ) {
                try $0.reach(.open, preference: preference).send($0.message("one"), $0.message("two"), kind: kind).app(
                    "close"
                )
                .hear().send($0.close()).end()
            }
            try scripts.works(
                setting, "the peer closes: ACK before the answer; preference \(preference)",
                ["R13.6-1", "R16.1-2"],
                section: "13.6"
            ) {
                try $0.reach(.open, preference: preference).send($0.message("one"), kind: kind).send($0.close()).hear()
                    .end()
            }
        }
        try scripts.works(setting, "no second ACK before CLOSE", ["R13.6-1"], section: "13.6") {
            try $0.reach(.open).send($0.message("one")).hear().clock(20).hear().app("close").hear().send($0.close())
                .end()
        }
        try scripts.works(
            setting, "the peer closes: what ACK has not counted is in doubt", ["R13.6-3"], section: "13.6"
        ) { script in
            try script.reach(.open)
            for (tag, text) in ["one", "two", "three"].enumerated() { try sends(script, text, tag: tag) }
            try script.hear().send(WireBytes.ack(2), script.close()).hear().end()
        }
    }

    private func afterOwnClose(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "ACK behind one's own CLOSE counts", ["R16.1-3", "R13.6-3"], flags: ["CrossedFrame"]
        ) { script in
            try script.reach(.open)
            for (tag, text) in ["one", "two", "three"].enumerated() { try sends(script, text, tag: tag) }
            try script.app("close").hear().send(WireBytes.ack(1)).hear().send(WireBytes.ack(3)).hear()
                .send(script.close()).end()
        }
        for (count, comment) in [(3, "more than was sent"), (0, "nothing")] as [(UInt64, String)] {
            try scripts.works(
                setting, "behind one's own CLOSE: ACK of \(comment)", ["R16.1-3", "R13.6-2", "R16.3-1"],
                flags: ["ExceedsSent"], section: "16.3", end: .fails("malformed")
            ) { script in
                try script.reach(.open)
                try sends(script, "one", tag: 1)
                try script.app("close").hear().send(WireBytes.ack(count)).hear().end()
            }
        }
        try scripts.works(
            setting, "FILE_DONE behind one's own CLOSE, of a file whose FILE_END was sent", ["R16.1-3", "R16.1-5"],
            flags: ["CrossedFrame"]
        ) {
            try $0.reach(.open).offersFile().send($0.fileAccept()).hear().supplies().app("close").hear()
                .send($0.fileDone()).hear().send($0.close()).hear().end()
        }
        try scripts.works(
            setting, "FILE_DONE behind one's own CLOSE, of any other file, is ignored", ["R16.1-3"],
            flags: ["CrossedFrame"]
        ) {
            try $0.reach(.open).offersFile().send($0.fileAccept()).hear().app("close").hear()
                .send($0.fileDone(), $0.fileDone(7)).hear().send($0.close()).hear().end()
        }
        let ignored: [(String, (Script) -> [UInt8])] = [
            ("CREDIT that does not raise", { _ in WireBytes.credit(0, 0, 1) }), ("PING", { _ in WireBytes.ping() }),
            ("STREAM_OPEN", { WireBytes.opening($0.peersFile(0)) }),
            ("STREAM_OPEN with a wrong number", { WireBytes.opening($0.peersFile(9)) }),
            ("STREAM_DATA of an unused number", { WireBytes.streamData($0.peersFile(0), "x") }),
            ("FILE_OFFER", { $0.fileOffer() }), ("DIGEST", { _ in WireBytes.digest([UInt8](repeating: 1, count: 32)) }),
        ]
        for (comment, frame) in ignored {
            try scripts.works(
                setting, "behind one's own CLOSE \(comment) is ignored", ["R16.1-3"], flags: ["CrossedFrame"],
                section: "16.3"
            ) { try $0.reach(.closing).send(frame($0), $0.message("counts")).hear().send($0.close()).hear().end() }
        }
    }

    private func givenUp(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        try scripts.works(
            setting, "the app closes: a live stream is given up before CLOSE", ["R16.1-5"]
        ) {
            try $0.reach(.open).send(WireBytes.opening($0.peersFile(0))).hear().app("close").hear().send($0.close())
                .end()
        }
        try scripts.works(
            setting, "the app closes: a file under way ends with reason 12 before CLOSE", ["R16.1-5"]
        ) { try $0.receiving().send($0.fileData(0, "he")).hear().app("close").hear().send($0.close()).end() }
        try scripts.works(
            setting, "the peer closes while a file is stored: it is stored to the end, and nothing is sent",
            ["R16.1-5"],
            flags: ["ClosedByPeer"]
        ) {
            try $0.receiving().send($0.fileData(), $0.fileEnd()).hear().send($0.close()).hear().app("confirmFile")
                .hear()
                .end()
        }
        try scripts.works(
            setting, "the peer closes: what has come of a stream that had ended is there", ["R16.1-5"],
            flags: ["ClosedByPeer"]
        ) { script in
            let id = script.peersFile(0)
            try script.reach(.open).send(
                WireBytes.opening(id), WireBytes.streamData(id, "all"), WireBytes.streamEnd(id, 3), script.close()
            ).hear().app("takeStream", ["stream": .wide(id), "count": 9]).hear().end()
        }
    }
}
