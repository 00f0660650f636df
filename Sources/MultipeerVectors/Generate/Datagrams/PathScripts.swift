internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// `datagrams/paths`: which port is proved, and when a path holds (SPEC §26.5).
struct PathScripts {
    let scripts: DatagramScripts
    private let hello = Array("hello".utf8)

    init(files: DatagramFiles) { scripts = DatagramScripts("paths", section: "26.5", files: files) }

    func write() throws -> DatagramScripts {
        try proving()
        try asking()
        try holding()
        try resting()
        return scripts
    }

    // MARK: Proving

    private func proving() throws {
        for suite in [Suite.chaChaPoly, .aesGCM] {
            try scripts.add(
                "three probes prove both directions, and messages go", ["R26.5-3", "R26.5-4", "R26.6-1"], suite: suite
            ) {
                script in
                try script.proved().sends(hello).peer(message: hello)
                scripts.require(script.events == ["message"], script, "three probes")
                try script.clock(20)
                scripts.require(script.sent == ["report"], script, "a report")
            }
        }
        try scripts.add("before a port is proved messages go over the link", ["R26.5-5"]) { script in
            try script.hear().sends(hello)
            scripts.require(script.events == ["overLink"], script, "not proved")
        }
        try scripts.add("an answer from another port counts for nothing", ["R26.5-4"], as: [.responder]) { script in
            try script.peer(asks: script.peersChallenge())
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello)
            scripts.require(script.events == ["overLink"], script, "another port")
        }
        try scripts.add("a packet from another port than that of the path is dropped", ["R26.4-1"], as: [.initiator]) {
            script in
            try script.hear().peer(asks: script.peersChallenge(), answers: script.challenge, port: 40_000)
            scripts.require(script.sent.isEmpty, script, "another port")
            try script.sends(hello)
        }
        try scripts.add("a wrong answer counts for nothing", ["R26.5-4"]) { script in
            if script.role == .responder { try script.peer(asks: script.peersChallenge()) } else { try script.hear() }
            try script.peer(asks: nil, answers: script.peersChallenge(9)).sends(hello)
            scripts.require(script.events == ["overLink"], script, "a wrong answer")
        }
        for (wait, counts) in [(3_000, true), (3_001, false)] {
            try scripts.add(
                "an answer after \(wait) ms counts\(counts ? "" : " for nothing")", ["R26.5-4"], as: [.responder]
            ) {
                script in
                // The fifth one goes after 2 s, and the sixth after 15.
                try script.peer(asks: script.peersChallenge()).clock(2_000).clock(wait)
                try script.peer(asks: nil, answers: script.challenge).sends(hello)
                scripts.require(script.events == [counts ? "sent" : "overLink"], script, "an answer in time")
            }
        }
        for (count, counts) in [(3, true), (4, false)] {
            try scripts.add(
                "an answer to the challenge before the last \(count) counts\(counts ? "" : " for nothing")",
                ["R26.5-4"],
                as: [.responder]
            ) { script in
                try script.peer(asks: script.peersChallenge())
                let first = script.challenge
                for number in 1...count { try script.peer(asks: script.peersChallenge(number)) }
                try script.peer(asks: nil, answers: first).sends(hello)
                scripts.require(script.events == [counts ? "sent" : "overLink"], script, "one of four challenges")
            }
        }
        try scripts.add("a probe that neither asks nor answers has no answer", ["R26.5-3"]) { script in
            try script.proved().peer(asks: nil)
            scripts.require(script.sent.isEmpty, script, "an empty probe")
        }
        try scripts.add("where the path holds, an answer does not ask", ["R26.5-3"]) { script in
            try script.proved().peer(asks: script.peersChallenge(2))
            scripts.require(script.sent == ["answers"], script, "an answer")
        }
        try scripts.add("eight probes are answered in a second", ["R26.5-3"]) { script in
            try script.proved()
            for number in 1...7 { try script.peer(asks: script.peersChallenge(number)) }
            scripts.require(script.sent == ["answers"], script, "the eighth")
            try script.peer(asks: script.peersChallenge(8))
            scripts.require(script.sent.isEmpty, script, "the ninth")
            try script.clock(999).peer(asks: script.peersChallenge(9))
            scripts.require(script.sent.isEmpty, script, "within the second")
            try script.clock(1).peer(asks: script.peersChallenge(10))
            scripts.require(script.sent == ["answers"], script, "after the second")
        }
        try scripts.add("a probe that answers and asks is answered, and not asked", ["R26.5-3"]) { script in
            try script.hear().peer(asks: script.peersChallenge(1), answers: script.peersChallenge(9))
            scripts.require(script.sent.first == "answers", script, "the end of a chain")
        }
        try scripts.add(
            "the initiator gets another port: it is asked, and the old one serves until it answers",
            ["R26.5-3", "R26.5-4"], as: [.responder]
        ) { script in
            try script.proved().peer(asks: script.peersChallenge(2), port: 40_000)
            scripts.require(script.sent == ["asksanswers"], script, "a new port")
            try script.sends(hello)
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello)
        }
        for (port, isAnswered) in [(1_023, false), (1_024, true), (1_900, false), (11_211, false)] {
            try scripts.add(
                "a probe from port \(port) is \(isAnswered ? "answered" : "dropped")", ["R26.5-1"], as: [.responder]
            ) { script in
                try script.peer(asks: script.peersChallenge(), port: port)
                scripts.require(script.sent == (isAnswered ? ["asksanswers"] : []), script, "port \(port)")
            }
        }
    }

    // MARK: Asking

    private func asking() throws {
        try scripts.add("an initiator asks six times, and rests", ["R26.5-5"], as: [.initiator]) { script in
            try script.hear()
            for pause in [249, 1, 249, 1, 499, 1, 999, 1, 12_999, 1, 2_999, 1] { try script.clock(pause) }
            try script.clock(59_999)
            scripts.require(script.sent.isEmpty, script, "rest")
            try script.clock(1)
            scripts.require(script.sent == ["asks"], script, "after the rest")
        }
        try scripts.add("a responder that nobody has asked does not ask", ["R26.5-5"], as: [.responder]) { script in
            try script.hear().clock(300_000).sends(hello).clock(60_000)
            scripts.require(script.sent.isEmpty, script, "no port")
        }
        try scripts.add(
            "a responder asks the port from which it was asked, and reports there", ["R26.5-5", "R26.7-1"],
            as: [.responder]
        ) { script in
            try script.peer(asks: script.peersChallenge()).clock(249).clock(1)
            scripts.require(script.sent == ["asks"], script, "again")
            try script.peer(message: hello).clock(20)
            scripts.require(script.sent == ["report"], script, "not proved")
            for pause in [230, 500, 1_000, 13_000, 2_999, 1] { try script.clock(pause) }
            try script.peer(asks: script.peersChallenge(2))
            scripts.require(script.sent == ["answers"], script, "rest")
        }
        try scripts.add(
            "as long as no port is proved, that of the newest probe is asked", ["R26.4-3"], as: [.responder]
        ) { script in
            let older = try script.packet(.probe, script.peersChallenge(1) + [UInt8](repeating: 0, count: 1_159))
            try script.peer(asks: script.peersChallenge(2), port: 40_000).peer(bytes: older).clock(250)
            scripts.require(script.sent == ["asks"], script, "the newest")
        }
        try scripts.add("a path that nobody uses for five minutes is asked no more", []) { script in
            try script.proved()
            var number = 2
            for _ in 0..<19 {
                try script.clock(15_000)
                scripts.require(script.sent == ["asks"], script, "every 15 s")
                try script.peer(asks: nil, answers: script.challenge)
                number += 1
            }
            try script.clock(15_000).clock(15_000)
            scripts.require(script.sent.isEmpty, script, "not wanted")
        }
        for isOverLink in [false, true] {
            try scripts.add(
                "a message\(isOverLink ? " over the link" : " of the app") makes a path wanted again, which is asked at once",
                []
            ) { script in
                try script.proved()
                while script.now < 280_000 {
                    try script.clock(15_000)
                    try script.peer(asks: nil, answers: script.challenge)
                }
                try script.clock(60_000)
                scripts.require(script.sent.isEmpty, script, "not wanted")
                if isOverLink { try script.usesLink() } else { try script.sends(hello) }
                scripts.require(script.sent == ["asks"], script, "at once")
            }
        }
    }

    // MARK: Holding

    private func holding() throws {
        try scripts.add("a path holds for 45 s after the last challenge that was answered", ["R26.5-5"]) { script in
            try script.proved().clock(44_999).sends(hello)
            scripts.require(script.events == ["sent"], script, "44,999 ms")
            try script.clock(1).sends(hello)
            scripts.require(script.events == ["overLink"], script, "45 s")
            try script.clock(250)
        }
        try scripts.add("an answer proves a path anew that held no more", ["R26.5-4"]) { script in
            try script.proved().clock(45_000)
            try script.peer(asks: nil, answers: script.challenge).sends(hello)
            scripts.require(script.events == ["sent"], script, "holds again")
        }
    }

    // MARK: Resting

    /// Messages that nobody reports, until the path rests. In between answers come.
    private func rest(_ script: DatagramScript) throws {
        for (number, timer) in [500, 1_000, 2_000, 4_000, 4_000, 4_000].enumerated() {
            try script.sends(hello).clock(timer)
            if (2...4).contains(number) { try script.peer(asks: nil, answers: script.challenge) }
        }
    }

    private func resting() throws {
        try scripts.add(
            "a path that brings no report rests, and answers and reports meanwhile", ["R26.5-6", "R26.7-4"]
        ) { script in
            try rest(script.proved())
            try script.sends(hello)
            scripts.require(script.events == ["overLink"], script, "rest")
            try script.peer(asks: script.peersChallenge(2))
            scripts.require(script.sent == ["answers"], script, "an answer that does not ask")
            try script.peer(message: hello).clock(20)
            scripts.require(script.sent == ["report"], script, "a report")
            try script.clock(250).clock(59_729)
            scripts.require(script.sent.isEmpty, script, "rest")
            try script.clock(1)
        }
        try scripts.add(
            "a port that was asked last is the path's once the old one is not proved any more", ["R26.5-5", "R26.7-4"],
            as: [.responder]
        ) { script in
            try script.proved().peer(asks: script.peersChallenge(2), port: 40_000)
            for timer in [500, 1_000, 2_000] { try script.sends(hello).clock(timer) }
            scripts.require(script.sent == ["asks"], script, "the new port")
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello)
            scripts.require(script.events == ["sent"], script, "proved")
        }
        try scripts.add("a rest ends once another port is proved", ["R26.5-3", "R26.5-6"], as: [.responder]) { script in
            try rest(script.proved())
            try script.peer(asks: script.peersChallenge(2), port: 40_000)
            scripts.require(script.sent == ["asksanswers"], script, "another port")
            try script.sends(hello)
            scripts.require(script.events == ["overLink"], script, "rest")
            try script.peer(asks: nil, answers: script.challenge, port: 40_000).sends(hello)
            scripts.require(script.events == ["sent"], script, "proved")
        }
        try scripts.add(
            "where no port was ever proved, a rest ends once another one asks, and the next is twice as long",
            ["R26.5-3", "R26.5-6"], as: [.responder]
        ) { script in
            try script.peer(asks: script.peersChallenge()).clock(18_000).clock(1_000)
            scripts.require(script.sent.isEmpty, script, "rest")
            try script.peer(asks: script.peersChallenge(2), port: 40_000)
            scripts.require(script.sent == ["asksanswers"], script, "another port")
            try script.clock(18_000).clock(119_999)
            scripts.require(script.sent.isEmpty, script, "two minutes")
            try script.clock(1)
            scripts.require(script.sent == ["asks"], script, "after the rest")
        }
        try scripts.add("a rest that follows soon is twice as long", ["R26.5-6"], as: [.initiator]) { script in
            try script.hear()
            for rest in [60_000, 120_000, 240_000] {
                try script.clock(18_000).clock(rest - 1)
                scripts.require(script.sent.isEmpty, script, "rest")
                try script.usesLink().clock(1)
                scripts.require(script.sent == ["asks"], script, "after the rest")
            }
        }
        try scripts.add("a rest five minutes after the last one lasts a minute", ["R26.5-6"], as: [.initiator]) {
            script in
            try script.hear().clock(18_000).clock(60_000)
            try script.peer(asks: nil, answers: script.challenge)
            for _ in 0..<20 {
                try script.clock(15_000).usesLink()
                try script.peer(asks: nil, answers: script.challenge)
            }
            try script.usesLink().clock(45_000).clock(18_000).usesLink().clock(59_999)
            scripts.require(script.sent.isEmpty, script, "rest")
            try script.clock(1)
            scripts.require(script.sent == ["asks"], script, "after a minute")
        }
    }
}
