internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// `datagrams/window`: which packets are opened, and which messages taken (SPEC §26.4, §26.6).
struct WindowScripts {
    let scripts: DatagramScripts
    private let hello = Array("hello".utf8)

    init(files: DatagramFiles) { scripts = DatagramScripts("window", section: "26.4", files: files) }

    func write() throws -> DatagramScripts {
        try refused()
        try window()
        try messages()
        return scripts
    }

    // MARK: Refused packets

    private func refused() throws {
        func dropped(
            _ comment: String, _ requirements: [String], flag: String,
            _ packet: @escaping (DatagramScript) throws -> [UInt8]
        ) throws {
            try scripts.add("\(comment), is dropped, and the genuine packet opens", requirements, flags: [flag]) {
                script in
                try script.proved().peer(bytes: try packet(script))
                scripts.require(script.events.isEmpty && script.sent.isEmpty, script, comment)
                try script.peer(message: hello)
                scripts.require(script.events == ["message"], script, "the genuine packet after " + comment)
            }
        }
        func genuine(_ script: DatagramScript) throws -> [UInt8] {
            try script.packet(.message, hello, counter: script.counter)
        }
        for (place, what) in [
            (0, "the kind"), (1, "the tag"), (16, "the counter"), (17, "the message"), (37, "the seal"),
        ] {
            try dropped("a packet with another bit in \(what)", ["R26.4-1", "R26.4-3"], flag: "ModifiedCiphertext") {
                script in
                var packet = try genuine(script)
                packet[place] ^= place == 0 ? 0x80 : 1
                return packet
            }
        }
        try dropped("a message with the kind of a probe", ["R26.4-1"], flag: "LengthOutOfRange") { script in
            var packet = try genuine(script)
            packet[0] = 5
            return packet
        }
        try dropped("a packet of the local peer that comes back", ["R26.4-1"], flag: "Reflected") { script in
            try script.packet(.message, hello, counter: script.counter, by: script.role)
        }
        for length in [0, 1, 16, 17, 32] {
            try dropped("\(length) bytes of a packet", ["R26.4-1"], flag: "Truncated") { script in
                Array(try genuine(script).prefix(length))
            }
        }
        try dropped("a packet of 1,201 bytes", ["R26.4-1"], flag: "LengthOutOfRange") { script in
            try genuine(script) + [UInt8](repeating: 0, count: 1_201 - 38)
        }
        try dropped("a report of 54 bytes", ["R26.4-1"], flag: "LengthOutOfRange") { script in
            var packet = try script.packet(.message, [UInt8](repeating: 1, count: 21), counter: script.counter)
            packet[0] = 6
            return packet
        }
        try scripts.add(
            "a probe whose zeros are not 0 is dropped, and its counter is marked", ["R26.4-3"],
            flags: ["ValueOutOfRange"]
        ) {
            script in
            try script.proved()
            let used = script.counter
            let contents = script.peersChallenge(2) + [UInt8](repeating: 0, count: 1_158) + [1]
            try script.peer(bytes: try script.packet(.probe, contents))
            scripts.require(script.sent.isEmpty, script, "zeros")
            try script.peer(message: hello, counter: used)
            scripts.require(script.events.isEmpty, script, "marked")
        }
        try scripts.add("after CLOSE nothing goes and nothing comes", ["R26.4-5"]) { script in
            try script.proved().closes().peer(message: hello).peer(asks: script.peersChallenge(2)).sends(hello).clock(
                60_000)
            scripts.require(script.events.isEmpty && script.sent.isEmpty, script, "after CLOSE")
        }
    }

    // MARK: The window

    private func window() throws {
        try scripts.add("a packet that comes twice is dropped the second time", ["R26.4-2"], flags: ["WrongCounter"]) {
            script in
            try script.proved()
            let packet = try script.packet(.message, hello)
            try script.peer(bytes: packet).peer(bytes: packet)
            scripts.require(script.events.isEmpty, script, "a replay")
        }
        try scripts.add("packets come in any order, each once", ["R26.4-2"]) { script in
            try script.proved()
            for counter in [9, 7, 8, 7, 10, 9] as [UInt64] { try script.peer(message: hello, counter: counter) }
        }
        for (back, passes) in [(2_047, true), (2_048, false)] as [(UInt64, Bool)] {
            try scripts.add(
                "a packet \(back) below the greatest is \(passes ? "taken" : "dropped")", ["R26.4-2"],
                flags: passes ? [] : ["WrongCounter"]
            ) { script in
                try script.proved().peer(message: hello, counter: 10_000)
                try script.peer(message: hello, counter: 10_000 - back)
                scripts.require(script.events == (passes ? ["message"] : []), script, "the window")
            }
        }
        for (ahead, passes) in [(65_536, true), (65_537, false)] as [(UInt64, Bool)] {
            try scripts.add(
                "a packet \(ahead) above the greatest is \(passes ? "taken" : "dropped")", ["R26.4-2"],
                flags: passes ? [] : ["WrongCounter"]
            ) { script in
                try script.proved().peer(message: hello, counter: 100)
                try script.peer(message: hello, counter: 100 + ahead)
                scripts.require(script.events == (passes ? ["message"] : []), script, "the lead")
            }
        }
        for (first, passes) in [(65_535, true), (65_536, false)] as [(UInt64, Bool)] {
            try scripts.add(
                "a first packet with counter \(first) is \(passes ? "taken" : "dropped")", ["R26.4-2"],
                flags: passes ? [] : ["WrongCounter"]
            ) { script in
                try script.hear().peer(message: hello, counter: first)
                scripts.require(script.events == (passes ? ["message"] : []), script, "the first packet")
            }
        }
        try scripts.add("a place of the window serves again after a leap", ["R26.4-2"]) { script in
            try script.proved().peer(message: hello, counter: 3_000).peer(message: hello, counter: 3_100)
            try script.peer(message: hello, counter: 5_049).peer(message: hello, counter: 5_048)
            scripts.require(script.events == ["message"], script, "a leap")
            try script.peer(message: hello, counter: 9_000).peer(message: hello, counter: 7_096)
            scripts.require(script.events == ["message"], script, "a greater leap")
        }
        try scripts.add(
            "the next generation of keys, and one that is late of the one before", ["R26.4-2"], section: "26.3"
        ) { script in
            try script.proved()
            for counter in stride(from: UInt64(65_000), through: 1_048_000, by: 65_000) {
                try script.peer(message: hello, counter: counter)
            }
            try script.peer(message: hello, counter: 1_048_575).peer(message: hello, counter: 1_048_576)
            try script.peer(message: hello, counter: 1_048_574)
            scripts.require(script.events == ["message"], script, "the generation before")
        }
    }

    // MARK: Messages

    private func messages() throws {
        try scripts.add("an empty message, and those that are too long, go over the link", ["R26.6-1"], section: "26.6")
        { script in
            try script.proved().sends([]).sends([UInt8](repeating: 1, count: 1_000))
            scripts.require(script.events == ["sent"], script, "1,000 bytes")
            try script.sends([UInt8](repeating: 1, count: 1_001))
            scripts.require(script.events == ["overLink"], script, "beyond the peer's maximum")
        }
        try scripts.add("what comes empty or too long is dropped", ["R26.6-2"], maximumMessage: 100, section: "26.6") {
            script in
            try script.proved().peer(message: []).peer(message: [UInt8](repeating: 1, count: 101))
            scripts.require(script.events.isEmpty, script, "101 bytes")
            try script.peer(message: [UInt8](repeating: 1, count: 100))
            scripts.require(script.events == ["message"], script, "100 bytes")
        }
        try scripts.add(
            "65,536 bytes wait for the app, each message counted with 64 more", ["R26.6-2"], as: [.initiator],
            section: "26.6"
        ) {
            script in
            try script.proved()
            let message = [UInt8](repeating: 1, count: 1_167)
            for _ in 0..<53 { try script.peer(message: message) }
            scripts.require(script.events == ["message"], script, "53 messages")
            try script.peer(message: [UInt8](repeating: 2, count: 230))
            scripts.require(script.events.isEmpty, script, "one byte too many")
            try script.peer(message: [UInt8](repeating: 2, count: 229))
            scripts.require(script.events == ["message"], script, "to the last byte")
            try script.takes(1).peer(message: message)
            scripts.require(script.events == ["message"], script, "there is room again")
        }
    }
}
