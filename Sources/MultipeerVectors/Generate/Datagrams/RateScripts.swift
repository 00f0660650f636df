internal import MultipeerCore
internal import MultipeerWire

/// `datagrams/rates`: reports, and how many messages may be in flight (SPEC §26.7).
struct RateScripts {
    let scripts: DatagramScripts
    private let hello = Array("hello".utf8)

    init(files: DatagramFiles) { scripts = DatagramScripts("rates", section: "26.7", files: files) }

    func write() throws -> DatagramScripts {
        try reports()
        try ignored()
        try windows()
        try timer()
        return scripts
    }

    /// The counter of the implementation's next packet once its path is proved.
    private func next(_ script: DatagramScript) -> UInt64 { script.role == .initiator ? 2 : 1 }

    private func reports() throws {
        try scripts.add("a report 20 ms after the first message that none counts", ["R26.7-1"]) { script in
            try script.proved().peer(message: hello).clock(19).peer(message: hello)
            scripts.require(script.sent.isEmpty, script, "19 ms")
            try script.clock(1)
            scripts.require(script.sent == ["report"], script, "20 ms")
            try script.clock(100)
            scripts.require(script.sent.isEmpty, script, "nothing new")
            try script.peer(message: hello).clock(20)
            scripts.require(script.sent == ["report"], script, "another one")
        }
        try scripts.add("a report goes once more 250 ms later, because the first may be lost", ["R26.7-1"]) { script in
            try script.proved().peer(message: hello).clock(20).clock(249)
            scripts.require(script.sent.isEmpty, script, "249 ms")
            try script.clock(1)
            scripts.require(script.sent == ["report"], script, "250 ms")
            try script.clock(5_000)
            scripts.require(script.sent.isEmpty, script, "no third one")
        }
        try scripts.add("no report goes once more if a message has come in between", ["R26.7-1"]) { script in
            try script.proved().peer(message: hello).clock(20).clock(240).peer(message: hello).clock(10)
            scripts.require(script.sent.isEmpty, script, "270 ms")
            try script.clock(10)
            scripts.require(script.sent == ["report"], script, "the report of the second message")
            try script.clock(250)
            scripts.require(script.sent == ["report"], script, "once more")
        }
        try scripts.add("a report says what is lost", ["R26.7-1"]) { script in
            try script.proved().peer(message: hello, counter: 20).clock(5).peer(message: hello, counter: 18).clock(15)
        }
        try scripts.add("probes alone are not reported", ["R26.7-1"]) { script in
            try script.proved().peer(asks: script.peersChallenge(3)).clock(1_000)
            scripts.require(script.sent.isEmpty, script, "probes")
        }
        try scripts.add(
            "a message that is dropped because it is empty is reported all the same", ["R26.7-1", "R26.4-3"]
        ) { script in
            try script.proved().peer(message: []).clock(20)
            scripts.require(script.sent == ["report"], script, "a marked packet")
        }
    }

    private func ignored() throws {
        /// Reports as the script's next counter asks for.
        let cases: [(String, (UInt64) -> (UInt64, UInt64))] = [
            ("a counter that was not used", { ($0 + 10, 1) }), ("no packet", { ($0 + 9, 0) }),
            ("more packets than there were", { ($0 + 9, $0 + 11) }),
        ]
        for (comment, report) in cases {
            try scripts.add("a report of \(comment) is ignored", ["R26.7-2"], flags: ["ValueOutOfRange"]) { script in
                try script.proved().sends(hello, times: 11)
                let (greatest, received) = report(next(script))
                try script.peer(reports: greatest, received).sends(hello)
                scripts.require(script.events == ["dropped"], script, comment)
                try script.peer(reports: next(script) + 9, next(script) + 10).sends(hello)
                scripts.require(script.events == ["sent"], script, "the genuine report")
            }
        }
        try scripts.add("an older report is ignored, and one that counts fewer", ["R26.7-2"], flags: ["NotRaised"]) {
            script in
            let first = next(script)
            try script.proved().sends(hello, times: 10).clock(10).peer(reports: first + 4, first + 5)
            try script.sends(hello, times: 6)
            try script.peer(reports: first + 4, first + 5).peer(reports: first + 9, first + 4).sends(hello)
            scripts.require(script.events == ["dropped"], script, "old reports")
        }
    }

    private func windows() throws {
        try scripts.add("ten messages go at first, and what is more is dropped", ["R26.7-3", "R26.6-1"]) { script in
            try script.proved().sends(hello, times: 12)
            scripts.require(
                script.events == [String](repeating: "sent", count: 10) + ["dropped", "dropped"], script, "ten")
        }
        try scripts.add("a message goes 10 ms after the last one, however full the window is", ["R26.7-3"]) { script in
            try script.proved().sends(hello, times: 10).clock(9).sends(hello)
            scripts.require(script.events == ["dropped"], script, "9 ms")
            try script.clock(1).sends(hello, times: 2)
            scripts.require(script.events == ["sent", "dropped"], script, "10 ms")
        }
        try scripts.add("where a round trip is longer, a message goes after one", ["R26.7-3"], as: [.responder]) {
            script in
            try script.peer(asks: script.peersChallenge())
            let first = script.challenge
            try script.clock(100).peer(asks: nil, answers: first).sends(hello, times: 10).clock(99).sends(hello)
            scripts.require(script.events == ["dropped"], script, "99 ms")
            try script.clock(1).sends(hello)
            scripts.require(script.events == ["sent"], script, "100 ms")
        }
        try scripts.add("a full window grows by one in a round trip", ["R26.7-3"]) { script in
            try script.proved()
            var counter = next(script)
            for size in 10...13 as ClosedRange<UInt64> {
                try script.sends(hello, times: Int(size) + 1).clock(10)
                scripts.require(script.events.isEmpty, script, "silence")
                counter += size
                try script.peer(reports: counter - 1, counter)
            }
        }
        try scripts.add("a window that was not full stays", ["R26.7-3"]) { script in
            let first = next(script)
            try script.proved().sends(hello, times: 9).clock(10).peer(reports: first + 8, first + 9).sends(
                hello, times: 11)
            scripts.require(script.events.filter { $0 == "sent" }.count == 10, script, "not full")
        }
        try scripts.add("loss halves the window, and the same loss does not halve it again", ["R26.7-3"]) { script in
            let first = next(script)
            try script.proved().sends(hello, times: 10).clock(10).peer(reports: first + 9, first + 8)
            try script.sends(hello, times: 6)
            scripts.require(script.events.filter { $0 == "sent" }.count == 5, script, "half")
            try script.clock(10).peer(reports: first + 14, first + 13).sends(hello, times: 7)
            scripts.require(script.events.filter { $0 == "sent" }.count == 6, script, "not again")
        }
        try scripts.add("loss after loss leaves a window of two", ["R26.7-3"]) { script in
            var (counter, came) = (next(script), next(script))
            try script.proved()
            for size in [10, 5, 2, 2] as [UInt64] {
                try script.sends(hello, times: Int(size) + 1).clock(10)
                counter += size
                came += size - 1
                try script.peer(reports: counter - 1, came)
            }
            try script.sends(hello, times: 3)
            scripts.require(script.events.filter { $0 == "sent" }.count == 2, script, "two")
        }
        try scripts.add("after a second without a message a greater window is ten", ["R26.7-3"]) { script in
            var counter = next(script)
            try script.proved()
            for size in 10...12 as ClosedRange<UInt64> {
                try script.sends(hello, times: Int(size)).clock(10)
                counter += size
                try script.peer(reports: counter - 1, counter)
            }
            try script.clock(990).sends(hello, times: 11)
            scripts.require(script.events.filter { $0 == "sent" }.count == 10, script, "ten")
        }
        try scripts.add(
            "a report through which the round trip is 180 ms, so that the window changes once in it", ["R26.7-3"],
            as: [.responder]
        ) {
            script in
            try script.peer(asks: script.peersChallenge()).clock(200)
            try script.peer(asks: nil, answers: script.challenge).sends(hello, times: 11).clock(100)
            try script.peer(reports: 5, 6, delay: 60_000).sends(hello, times: 6).clock(190)
            try script.peer(reports: 12, 13).sends(hello, times: 9)
            scripts.require(script.events.filter { $0 == "sent" }.count == 8, script, "twelve")
        }
    }

    private func timer() throws {
        try scripts.add("without a report for half a second nothing is in flight, and the window is two", ["R26.7-4"]) {
            script in
            try script.proved().sends(hello, times: 10).clock(499).sends(hello, times: 2)
            scripts.require(script.events == ["sent", "dropped"], script, "499 ms")
            try script.clock(1).sends(hello, times: 3)
            scripts.require(script.events == ["sent", "sent", "dropped"], script, "500 ms")
        }
        try scripts.add(
            "the timer lasts three round trips, and twice as long after it has fired", ["R26.7-4"], as: [.responder]
        ) {
            script in
            try script.peer(asks: script.peersChallenge())
            let first = script.challenge
            try script.clock(300).peer(asks: nil, answers: first).sends(hello, times: 10).clock(899)
            try script.sends(hello, times: 2)
            scripts.require(script.events == ["sent", "dropped"], script, "899 ms")
            try script.clock(1).sends(hello, times: 3).clock(1_799).sends(hello, times: 2)
            scripts.require(script.events == ["sent", "dropped"], script, "1,799 ms")
            try script.clock(1).sends(hello)
            scripts.require(script.events == ["sent"], script, "1,800 ms")
        }
        try scripts.add("a report starts the timer anew", ["R26.7-4"]) { script in
            let first = next(script)
            try script.proved().sends(hello, times: 10).clock(400).peer(reports: first + 3, first + 4).clock(499)
            try script.sends(hello, times: 6)
            scripts.require(script.events.filter { $0 == "sent" }.count == 5, script, "five are free")
        }
        try scripts.add("the timer lasts no longer than four seconds, and the sixth time the path rests", ["R26.7-4"]) {
            script in
            try script.proved()
            for (number, timer) in [500, 1_000, 2_000, 4_000, 4_000, 4_000].enumerated() {
                try script.sends(hello).clock(timer - 1)
                scripts.require(script.sent.isEmpty, script, "not yet")
                try script.clock(1)
                scripts.require(script.sent == (number < 5 ? ["asks"] : []), script, "asks until it rests")
                guard (2...4).contains(number) else { continue }
                try script.sends(hello)
                scripts.require(script.events == ["overLink"], script, "not proved")
                try script.peer(asks: nil, answers: script.challenge)
            }
            try script.sends(hello).clock(59_999)
            scripts.require(script.sent.isEmpty, script, "rest")
            try script.clock(1)
        }
        try scripts.add("a report between them makes the timer fire for the first time again", ["R26.7-4"]) { script in
            let first = next(script)
            try script.proved().sends(hello).clock(500).sends(hello).clock(1_000).sends(hello)
            // Two probes have asked meanwhile.
            try script.peer(reports: first + 4, first + 5).sends(hello).clock(500).sends(hello)
            scripts.require(script.events == ["sent"], script, "proved")
        }
        try scripts.add("another port makes the timer fire for the first time again", ["R26.5-3"], as: [.responder]) {
            script in
            try script.proved().sends(hello).clock(500).sends(hello).clock(1_000)
            try script.peer(asks: script.peersChallenge(2), port: 40_000)
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello).clock(500)
            scripts.require(script.sent == ["asks"], script, "half a second")
            try script.sends(hello)
            scripts.require(script.events == ["sent"], script, "proved")
        }
        try scripts.add("another port begins with ten messages", ["R26.5-4", "R26.7-3"], as: [.responder]) { script in
            try script.proved().sends(hello, times: 10).peer(asks: script.peersChallenge(2), port: 40_000)
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello, times: 11)
            scripts.require(script.events.filter { $0 == "sent" }.count == 10, script, "anew")
        }
    }
}
