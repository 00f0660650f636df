internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Hybrid suites in hellos: SPEC §7.6.
extension NegotiationFiles {
    private static let features = ["mlkem768"]

    /// What a responder makes of them.
    func hybridChoices(_ cases: CaseWriter) throws {
        let share = try samples.encapsulationKey()
        func hello(_ suites: [UInt16], _ share: [UInt8]?, version: UInt16? = nil) -> JSONValue {
            let extensions = (share.map { [(HybridShare.type, $0)] } ?? []) + [(0x2A2A, [])]
            return ["body": .hex(body([version ?? current], suites, extensions))]
        }
        func accept(_ comment: String, _ requirements: [String], _ inputs: JSONValue) throws {
            try cases.accept(comment, requirements, section: "7.6", features: Self.features, inputs)
        }
        func refuse(
            _ code: String, _ flag: String, _ comment: String, _ requirements: [String], _ inputs: JSONValue
        ) throws {
            try cases.reject(
                code, flag, comment, requirements, section: "7.6", features: Self.features, inputs)
        }
        cases.group(["versions": [currentVersion], "suites": [3, 1], "busy": false])
        try accept("a hybrid suite", ["R7.3-1", "R7.6-1"], hello([3, 1], share))
        try accept("the initiator prefers the classical suite", ["R7.3-1"], hello([1, 3], share))
        try accept("no hybrid suite, and no key", ["R7.6-1"], hello([1], nil))
        let malformed: [(String, [UInt16], [UInt8]?)] = [
            ("a hybrid suite without a key", [3, 1], nil), ("a key without a hybrid suite", [1], share),
            ("a key of 1,183 bytes", [3, 1], Array(share.dropLast())), ("a key of 1,185 bytes", [3, 1], share + [0]),
            ("an empty key", [3, 1], []), ("no key, where the classical suite would be chosen", [1, 3], nil),
            ("no key, and no common suite", [4], nil),
        ]
        for (comment, suites, share) in malformed {
            try refuse("malformed", "WrongShare", comment, ["R7.6-2"], hello(suites, share))
        }
        try refuse(
            "refused", "NoCommonVersion", "no common version: nothing else is judged", ["R7.3-3", "R7.6-2"],
            hello([3], nil, version: 2))
        try refuse("refused", "NoCommonSuite", "no common suite", ["R7.3-3"], hello([4], share))
        for (name, key) in BadEncapsulationKey.all(of: share) {
            try refuse("malformed", "BadEncapsulationKey", name, ["R7.6-3"], hello([3, 1], key))
        }
        try accept(
            "a bad key, where the classical suite is chosen", ["R7.6-3"],
            hello([1, 3], [UInt8](repeating: 0xFF, count: HybridShare.encapsulationKeyLength)))
        cases.group(["versions": [currentVersion], "suites": [1], "busy": false])
        try cases.accept(
            "a responder without hybrid suites ignores a bad key", ["R7.1-3"], flags: ["UnknownValue"], section: "7.6",
            hello([3, 1], [1, 2, 3]))
        cases.group(["versions": [currentVersion], "suites": [3, 1], "busy": true])
        try refuse("refused", "Busy", "a busy responder looks at no key", ["R7.5-4"], hello([3], nil))
    }

    /// What an initiator makes of the choice.
    func hybridChecks(_ cases: CaseWriter) throws {
        let share = try samples.encapsulated().ciphertext
        func reply(_ suite: UInt16, _ extensions: [(UInt16, [UInt8])]) -> JSONValue {
            ["body": .hex(WireBytes.u16(current) + WireBytes.u16(suite) + encoded(extensions) + key + tag)]
        }
        cases.group([
            "versions": [currentVersion], "suites": [3, 1], "extensions": [0x0001, 0x2A2A],
            "supportedVersions": [currentVersion], "supportedSuites": [3, 1],
        ])
        let type = HybridShare.type
        try cases.accept(
            "a hybrid suite", ["R7.6-4"], section: "7.6", features: Self.features, reply(3, [(type, share)]))
        try cases.accept(
            "the classical suite, though a hybrid one is preferred", ["R7.6-4"], section: "7.6",
            features: Self.features, reply(1, []))
        let illegal: [(String, UInt16, [(UInt16, [UInt8])])] = [
            ("a hybrid suite without a ciphertext", 3, []),
            ("a ciphertext with the classical suite", 1, [(type, share)]),
            ("a ciphertext of 1,087 bytes", 3, [(type, Array(share.dropLast()))]),
            ("a ciphertext of 1,089 bytes", 3, [(type, share + [0])]), ("an empty ciphertext", 3, [(type, [])]),
            ("a ciphertext and the GREASE extension", 3, [(type, share), (0x2A2A, [])]),
        ]
        for (comment, suite, extensions) in illegal {
            try cases.reject(
                "illegal_choice", "WrongShare", comment, ["R7.3-2", "R7.6-4"], section: "7.6",
                features: Self.features, reply(suite, extensions))
        }
        try cases.reject(
            "illegal_choice", "NotOffered", "the other hybrid suite", ["R7.3-2"], section: "7.6",
            features: Self.features, reply(4, [(type, share)]))
    }
}

/// Encapsulation keys with a coefficient that is not reduced (FIPS 203, §7.2).
enum BadEncapsulationKey {
    /// q.
    private static let modulus = 3_329

    static func all(of key: [UInt8]) -> [(name: String, key: [UInt8])] {
        [
            ("all coefficients are 4,095", [UInt8](repeating: 0xFF, count: 1_152) + key.suffix(32)),
            ("the first coefficient is 3,329", setting(0, in: key)),
            ("the last coefficient is 3,329", setting(767, in: key)),
        ]
    }

    /// Two coefficients of twelve bits are in three bytes.
    private static func setting(_ index: Int, in key: [UInt8]) -> [UInt8] {
        var key = key
        let start = index / 2 * 3
        if index % 2 == 0 {
            key[start] = UInt8(modulus & 0xFF)
            key[start + 1] = key[start + 1] & 0xF0 | UInt8(modulus >> 8)
        } else {
            key[start + 1] = key[start + 1] & 0x0F | UInt8(modulus & 0x0F) << 4
            key[start + 2] = UInt8(modulus >> 4)
        }
        return key
    }
}
