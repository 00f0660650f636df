internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `records/`: SPEC §12.
struct RecordFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }
    private var key: [UInt8] { samples.bytes32("record key") }

    func all() throws -> [(name: String, file: VectorFile)] { [try protection().file(), try rekeys().file()] }

    private func protection() throws -> CaseWriter {
        let cases = CaseWriter(
            "records/protection", topic: "records-protection", type: .recordProtection, section: "12.2",
            subject: subject)
        for suite in Suite.classical {
            cases.group(["suite": .integer(Int(suite.rawValue)), "encryption": "encrypted"])
            try positive(cases, suite)
            try tampered(cases, suite)
            cases.group(["suite": .integer(Int(suite.rawValue)), "encryption": "readable"])
            try readable(cases, suite)
        }
        for suite in Suite.classical {
            cases.group(["suite": .integer(Int(suite.rawValue)), "encryption": "encrypted"])
            try added(cases, suite)
        }
        return cases
    }

    /// A record as SPEC §12.2 and §12.3 have it.
    private func record(
        _ suite: Suite, _ kind: RecordKind, _ frames: [UInt8], at counter: UInt64, key: [UInt8]? = nil
    ) throws -> [UInt8] {
        var cipher = try RecordCipher(
            suite: suite, key: key ?? self.key, counter: counter, crypto: subject.crypto.provider)
        return try cipher.seal(frames, as: kind)
    }

    private func inputs(
        _ counter: UInt64, _ records: [[UInt8]], genuine: [UInt8]? = nil, key: [UInt8]? = nil
    ) -> JSONValue {
        .members([
            "key": .hex(key ?? self.key), "counter": .wide(counter), "records": .array(records.map(JSONValue.hex)),
            "genuine": genuine.map(JSONValue.hex),
        ])
    }

    private var frames: [UInt8] { WireBytes.frame(.message, [5] + Array("hello".utf8)) }

    private func positive(_ cases: CaseWriter, _ suite: Suite) throws {
        func add(_ comment: String, _ counter: UInt64, _ plaintexts: [[UInt8]], _ requirements: [String]) throws {
            var key = self.key
            var records: [[UInt8]] = []
            for (index, plaintext) in plaintexts.enumerated() {
                let at = counter + UInt64(index)
                records.append(try record(suite, .encrypted, plaintext, at: at, key: key))
                if (at + 1) % 65_536 == 0 { key = try rekeyed(suite, key) }
            }
            try cases.accept(comment, requirements, features: suite.features, inputs(counter, records))
        }
        try add("the first record", 0, [frames], ["R11-1"])
        try add("three records in a row", 0, [frames, WireBytes.frame(.ready), frames + WireBytes.frame(.ready)], [])
        try add("counter 1 shows the byte order of the nonce", 1, [frames], [])
        try add("counter 0x0102030405060708", 0x0102_0304_0506_0708, [frames], [])
        try add("the last counter, 2^64 − 2", UInt64.max - 1, [frames], [])
        try add("the key changes after counter 65,535", 65_534, [frames, frames, frames], ["R12.5-1"])
        try add("the key changes after counter 131,071", 131_071, [frames, frames], ["R12.5-1"])
        try add("no change after counter 65,536", 65_536, [frames, frames], ["R12.5-1"])
        try add("the shortest plaintext", 7, [[0x10, 0x00]], [])
        try add("a plaintext of 4,096 bytes", 8, [WireBytes.frame(.padding, samples.bytes(4_093, "pad"))], [])
    }

    private func rekeyed(_ suite: Suite, _ key: [UInt8]) throws -> [UInt8] {
        try subject.crypto.rekeyed(suite, key: key)
    }

    private func tampered(_ cases: CaseWriter, _ suite: Suite) throws {
        let genuine = try record(suite, .encrypted, frames, at: 5)
        func refuse(
            _ flag: String, _ comment: String, _ record: [UInt8], _ requirements: [String] = ["R12.4-1"],
            before: [[UInt8]] = [], counter: UInt64 = 5, genuine: [UInt8]? = nil
        ) throws {
            try cases.reject(
                "decrypt_failed", flag, comment, requirements, section: "12.4", features: suite.features,
                inputs(counter, before + [record], genuine: genuine))
        }
        func flip(_ index: Int) -> [UInt8] {
            var copy = genuine
            copy[index] ^= 1
            return copy
        }
        try refuse("ModifiedCiphertext", "the first byte of ciphertext", flip(3), genuine: genuine)
        try refuse("ModifiedCiphertext", "the last byte of ciphertext", flip(genuine.count - 17), genuine: genuine)
        try refuse("ModifiedTag", "the first byte of the tag", flip(genuine.count - 16), genuine: genuine)
        try refuse("ModifiedTag", "the last byte of the tag", flip(genuine.count - 1), genuine: genuine)
        let shorter = [0x10] + WireBytes.u16(UInt16(genuine.count - 4)) + genuine[3...].dropLast()
        try refuse("ModifiedHeader", "cut by a byte, with a length that fits", shorter, genuine: genuine)
        try refuse(
            "ModifiedHeader", "extended by a byte, with a length that fits",
            [0x10] + WireBytes.u16(UInt16(genuine.count - 2)) + genuine[3...] + [0], genuine: genuine)
        try refuse(
            "WrongKey", "another key", try record(suite, .encrypted, frames, at: 5, key: samples.bytes32("wrong")),
            genuine: genuine)
        try refuse(
            "WrongCounter", "the counter before", try record(suite, .encrypted, frames, at: 4), genuine: genuine)
        try refuse(
            "WrongCounter", "a record was dropped", try record(suite, .encrypted, frames, at: 6), genuine: genuine)
        try refuse("WrongCounter", "a record is replayed", genuine, before: [genuine])
        let (first, second) = (
            try record(suite, .encrypted, frames, at: 5), try record(suite, .encrypted, WireBytes.frame(.ready), at: 6)
        )
        try refuse("WrongCounter", "two records are exchanged", second, before: [], genuine: first)
        try refuse(
            "MissedRekey", "the old key after counter 65,535",
            try record(suite, .encrypted, frames, at: 65_536), ["R12.5-1"],
            before: [try record(suite, .encrypted, frames, at: 65_535)], counter: 65_535)
        try refuse(
            "EarlyRekey", "the next key at counter 65,535",
            try record(suite, .encrypted, frames, at: 65_535, key: try rekeyed(suite, key)), ["R12.5-1"],
            counter: 65_535, genuine: try record(suite, .encrypted, frames, at: 65_535))
        try cases.reject(
            "wrong_protection", "WrongProtection", "AUTHENTICATED on an encrypted link, with a good tag",
            ["R12.4-2", "R11-1"], section: "12.4", features: suite.features,
            inputs(5, [try record(suite, .authenticated, frames, at: 5)], genuine: genuine))
        try cases.reject(
            "wrong_protection", "Precedence", "AUTHENTICATED on an encrypted link comes before its tag",
            ["R12.4-2", "R18-1"], section: "12.4", features: suite.features,
            inputs(5, [[0x11] + genuine.dropFirst()], genuine: genuine))
    }

    private func readable(_ cases: CaseWriter, _ suite: Suite) throws {
        let genuine = try record(suite, .authenticated, frames, at: 9)
        try cases.accept(
            "AUTHENTICATED on a readable link", ["R11-2"], section: "12.3", features: suite.features,
            inputs(9, [genuine]))
        try cases.accept(
            "both kinds share one counter", ["R11-2"], section: "12.1", features: suite.features,
            inputs(9, [genuine, try record(suite, .encrypted, WireBytes.frame(.ready), at: 10)]))
        try cases.accept(
            "the shortest AUTHENTICATED record", [], section: "12.3", features: suite.features,
            inputs(0, [try record(suite, .authenticated, [0x42, 0x00], at: 0)]))
        let middle = try record(suite, .authenticated, frames, at: 65_535)
        try cases.accept(
            "the key changes after AUTHENTICATED records too", ["R12.5-1"], section: "12.5",
            features: suite.features,
            inputs(
                65_535,
                [
                    middle,
                    try record(
                        suite, .authenticated, frames, at: 65_536, key: try rekeyed(suite, key)),
                ]))
        for (index, flag, comment) in [
            (4, "ModifiedCiphertext", "a byte of the readable frames"), (genuine.count - 1, "ModifiedTag", "the tag"),
            (0, "ModifiedHeader", "the kind, ENCRYPTED in place of AUTHENTICATED"),
        ] {
            var changed = genuine
            changed[index] ^= 1
            try cases.reject(
                "decrypt_failed", flag, comment, ["R12.4-1"], section: "12.4", features: suite.features,
                inputs(9, [changed], genuine: genuine))
        }
        try cases.reject(
            "decrypt_failed", "WrongCounter", "an AUTHENTICATED record is replayed", ["R12.4-1"], section: "12.4",
            features: suite.features, inputs(9, [genuine, genuine]))
    }

    /// Later cases come last, so that the cases above keep their numbers.
    private func added(_ cases: CaseWriter, _ suite: Suite) throws {
        try cases.reject(
            "internal", "CounterUsedUp", "no record has the counter 2^64 − 1", [], section: "12.1",
            features: suite.features,
            inputs(UInt64.max, [try record(suite, .encrypted, frames, at: UInt64.max - 1)]))
        try cases.reject(
            "unexpected_record", "RecordOutOfOrder", "HELLO among protected records comes before its length",
            ["R6.2-2", "R18-1"], section: "6.2", features: suite.features, inputs(5, [[0x01, 0x00, 0x12]]))
    }

    private func rekeys() throws -> CaseWriter {
        let cases = CaseWriter(
            "records/rekey", topic: "records-rekey", type: .rekey, section: "12.5", subject: subject)
        for suite in Suite.classical {
            cases.group(["suite": .integer(Int(suite.rawValue))])
            for label in ["record key", "another key"] {
                try cases.accept(
                    "REKEY of a key", ["R12.5-1"], features: suite.features,
                    ["key": .hex(samples.bytes32(label))])
            }
            try cases.accept(
                "REKEY of zeros", ["R12.5-1"], features: suite.features,
                ["key": .hex([UInt8](repeating: 0, count: 32))])
        }
        return cases
    }
}
