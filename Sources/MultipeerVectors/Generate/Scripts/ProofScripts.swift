internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The peer's identity: SPEC §6.4, §9.5, §19.
struct ProofScripts {
    let files: ScriptFiles

    func write() throws -> ScriptWriter {
        let scripts = files.writer("proof", section: "9.5")
        for role in ScriptFiles.roles {
            try good(scripts, role)
            try wrong(scripts, role)
            try unknownFrames(scripts, role)
            try limits(scripts, role)
        }
        var setting = ScriptSetting(.initiator)
        setting.expectsPeer = .thePeer
        try scripts.add(
            setting, "the expected peer", ["R9.5-4"], end: .fails("truncated")
        ) { try $0.reach(.identified).end() }
        setting.expectsPeer = .someoneElse
        try scripts.add(
            setting, "another peer than expected: CLOSE comes before one's own PROOF", ["R9.5-4"],
            flags: ["UnexpectedIdentity"], end: .fails("unexpected_identity")
        ) { try $0.shakeHands().send($0.proof(), $0.peerInfo()).hear().end() }
        return scripts
    }

    private func good(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        for suite in Suite.classical {
            try scripts.add(
                ScriptSetting(role, suite: suite),
                "\(role.name), suite \(suite.rawValue): PROOF and PEER_INFO both ways", ["R8.1-1", "R9.5-1"],
                end: .fails("truncated")
            ) { try $0.shakeHands().send($0.proof()).hear().send($0.peerInfo()).hear().end() }
        }
        try scripts.add(
            ScriptSetting(role), "CLOSE before PROOF", ["R9.5-1", "R16.1-2"], flags: ["ClosedByPeer"]
        ) { try $0.shakeHands().send($0.close(0x20)).hear().end() }
        try scripts.add(
            ScriptSetting(role), "PROOF and PEER_INFO in one record, padding around", ["R6.3-1"],
            flags: ["UnknownIgnorable"], section: "6.5", end: .fails("truncated")
        ) { try $0.shakeHands().send($0.proof(), $0.padding(), $0.peerInfo(), $0.padding(0)).hear().end() }
    }

    private func wrong(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        let own = try ScriptSetting(role).sides(files.samples).own.seed
        let cases: [(String, String, String, [String], (Script) throws -> [UInt8])] = [
            ("proof_invalid", "ReflectedProof", "signed for one's own role", ["R9.5-2"], { try $0.proof(role: role) }),
            (
                "proof_invalid", "WrongTranscript", "signed for another link", ["R9.5-2"],
                { try $0.proof(hash: $0.samples.bytes32("another link")) }
            ),
            (
                "proof_invalid", "BadSignature", "a bit of the signature is flipped", ["R9.5-2"],
                { script in
                    var proof = try script.proof()
                    proof[proof.count - 1] ^= 1
                    return proof
                }
            ),
            ("own_identity", "OwnIdentity", "the receiver's own key", ["R9.5-3"], { try $0.proof(seed: own) }),
            (
                "proof_invalid", "Precedence", "the receiver's own key, wrongly signed", ["R9.5-2"],
                { script in
                    var proof = try script.proof(seed: own)
                    proof[proof.count - 1] ^= 1
                    return proof
                }
            ),
            (
                "malformed", "Truncated", "a short PROOF", ["R3.3-1"],
                { WireBytes.frame(.proof, Array(try $0.proof().dropFirst(3).dropLast())) }
            ),
        ]
        for (code, flag, comment, requirements, make) in cases {
            try scripts.works(
                ScriptSetting(role), "\(comment)", requirements + ["R9.5-6"], flags: [flag], end: .fails(code)
            ) { try $0.shakeHands().send(make($0)).hear().end() }
        }
        if role == .responder {
            try scripts.add(
                ScriptSetting(role),
                "the responder's own PROOF, reflected: it is signed for another role", ["R9.5-2", "R9.5-6"],
                flags: ["ReflectedProof"], end: .fails("proof_invalid")
            ) { script in
                try script.shakeHands()
                let proof = script.heard.first { $0.name == "PROOF" }?.payload ?? []
                try script.send(WireBytes.frame(.proof, proof)).hear().end()
            }
        }
    }

    private func unknownFrames(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        for (type, name) in [
            (0x21, "an unknown odd frame"), (0x5F, "a GREASE frame"), (WireBytes.unknownEven, "an unknown even frame"),
        ]
            as [(UInt64, String)]
        {
            try scripts.works(
                ScriptSetting(role), "\(name) before PROOF", ["R6.4-3"], flags: ["BeforeProof"], section: "6.4",
                end: .fails("unexpected_frame")
            ) { try $0.shakeHands().send(WireBytes.frame(type, [1]), $0.proof()).hear().end() }
        }
    }

    private func limits(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        // The header is 3 bytes, the tag 16, the padding's type and length 3.
        try scripts.works(
            ScriptSetting(role), "1,024 bytes of record with PROOF", ["R19-2"], section: "19", end: .fails("truncated")
        ) { script in
            try script.shakeHands()
            let proof = try script.proof()
            try script.send(proof, script.padding(1_024 - 3 - 16 - 3 - proof.count)).hear().end()
        }
        try scripts.works(
            ScriptSetting(role), "1,025 bytes of record before PROOF, found in the header", ["R19-2"],
            flags: ["ExceedsLimit"], section: "19", end: .fails("limit_exceeded")
        ) { try $0.shakeHands().bytes([0x10] + WireBytes.u16(1_022)).hear().end() }
        try scripts.works(
            ScriptSetting(role), "a long record after PROOF", ["R19-2"], section: "19", end: .fails("truncated")
        ) { try $0.shakeHands().send($0.proof()).send($0.padding(2_000), $0.peerInfo()).hear().end() }
    }
}
