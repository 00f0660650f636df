internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Links of hybrid suites, until there are keys: SPEC §7.6, §9.3.
struct HybridScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("hybrid", section: "7.6")
        try handshakes(scripts)
        try choices(scripts)
        try badHellos(scripts)
        try badReplies(scripts)
        return scripts
    }

    private func handshakes(_ scripts: ScriptWriter) throws {
        for suite in Suite.hybrid {
            for role in ScriptFiles.roles {
                try scripts.add(
                    ScriptSetting(role, suite: suite), "\(role.name), suite \(suite.rawValue): as far as PROOF",
                    ["R7.6-1", "R7.6-4", "R9.5-1"], section: "9.3", end: .fails("truncated")
                ) { try $0.reach(.proof).end() }
            }
        }
    }

    private func choices(_ scripts: ScriptWriter) throws {
        // A classical suite is agreed, and the implementation has a hybrid one as well.
        var setting = ScriptSetting(.initiator)
        setting.suites = [3, 1]
        setting.needs = Suite.hybridChaChaPoly.features
        try scripts.add(
            setting, "an initiator takes the classical suite where the responder chooses it", ["R7.6-4"],
            end: .fails("truncated")
        ) { try $0.shakeHands().end() }
        setting.role = .responder
        try scripts.add(
            setting, "a responder takes the classical suite where the initiator prefers it", ["R7.3-1", "R7.6-4"],
            end: .fails("truncated")
        ) { try $0.shakeHands(suites: [1, 3]).end() }
        setting = ScriptSetting(.responder, suite: .hybridChaChaPoly)
        setting.suites = [1, 3]
        try scripts.add(
            setting, "a responder takes the hybrid suite where the initiator prefers it", ["R7.3-1", "R7.6-4"],
            end: .fails("truncated")
        ) { try $0.shakeHands(suites: [3, 1]).end() }
    }

    private func badHellos(_ scripts: ScriptWriter) throws {
        let share = try files.samples.encapsulationKey()
        let hellos: [(String, String, String, [UInt8]?)] = [
            ("WrongShare", "R7.6-2", "without a key", nil),
            ("WrongShare", "R7.6-2", "with a key of 1,183 bytes", Array(share.dropLast())),
            (
                "BadEncapsulationKey", "R7.6-3", "with a key that FIPS 203 refuses",
                BadEncapsulationKey.all(of: share)[2].key
            ),
        ]
        for (flag, requirement, comment, share) in hellos {
            try scripts.add(
                ScriptSetting(.responder, suite: .hybridChaChaPoly), "a hello \(comment) is refused", [requirement],
                flags: [flag], end: .fails("malformed")
            ) { try $0.bytes($0.peerHello(share: .some(share))).hear().end() }
        }
        try scripts.add(
            ScriptSetting(.responder, suite: .hybridChaChaPoly),
            "a bad key and a low-order point: the hello is malformed", ["R7.6-3"],
            flags: ["BadEncapsulationKey", "LowOrderKey"], end: .fails("malformed")
        ) {
            let key = BadEncapsulationKey.all(of: share)[0].key
            try $0.bytes($0.peerHello(key: LowOrderPoint.inOrder[0], share: .some(key))).hear().end()
        }
        try scripts.add(
            ScriptSetting(.responder, suite: .hybridChaChaPoly), "low-order point 0; nothing is sent", ["R9.4-1"],
            flags: ["LowOrderKey"], section: "9.4", end: .fails("handshake_failed")
        ) { try $0.bytes($0.peerHello(key: LowOrderPoint.inOrder[0])).end() }
    }

    private func badReplies(_ scripts: ScriptWriter) throws {
        let share = try files.samples.encapsulated().ciphertext
        let replies: [(String, [UInt8]?)] = [
            ("no ciphertext", nil), ("a ciphertext of 1,089 bytes", share + [0]),
        ]
        for (comment, share) in replies {
            try scripts.add(
                ScriptSetting(.initiator, suite: .hybridChaChaPoly), "\(comment); nothing more is sent", ["R7.6-4"],
                flags: ["WrongShare"], end: .fails("illegal_choice")
            ) { try $0.bytes($0.reply(share: .some(share))).end() }
        }
        var setting = ScriptSetting(.initiator)
        setting.suites = [3, 1]
        setting.needs = Suite.hybridChaChaPoly.features
        try scripts.add(
            setting, "a ciphertext with the classical suite; nothing more is sent", ["R7.6-4"], flags: ["WrongShare"],
            end: .fails("illegal_choice")
        ) { try $0.bytes($0.reply(share: .some(share))).end() }
        for suite in Suite.hybrid {
            try scripts.add(
                ScriptSetting(.initiator, suite: suite),
                "a ciphertext that the key did not make, suite \(suite.rawValue); nothing more is sent", ["R9.3-1"],
                flags: ["ModifiedCiphertext"], section: "9.3", end: .fails("handshake_failed")
            ) { script in
                var other = share
                other[0] ^= 1
                try script.bytes(script.reply(share: .some(other))).end()
            }
        }
    }
}
