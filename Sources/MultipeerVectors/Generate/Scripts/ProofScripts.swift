internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Who the peer is: SPEC §6.4, §9.5, §19.
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
            setting, ScriptHead(comment: "the expected peer", requirements: ["R9.5-4"]), .fails("truncated")
        ) { script in
            try script.reach(.identified)
            try script.end()
        }
        setting.expectsPeer = .someoneElse
        let head = ScriptHead(
            comment: "another peer than expected: CLOSE comes before one's own PROOF", requirements: ["R9.5-4"],
            flags: ["UnexpectedIdentity"])
        try scripts.add(setting, head, .fails("unexpected_identity")) { script in
            try script.shakeHands()
            try script.send(try script.proof(), script.peerInfo())
            try script.hear()
            try script.end()
        }
        return scripts
    }

    private func good(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        for suite in Suite.allCases {
            try scripts.add(
                ScriptSetting(role, suite: suite),
                ScriptHead(
                    comment: "\(role.name), suite \(suite.rawValue): PROOF and PEER_INFO both ways",
                    requirements: ["R8.1-1", "R9.5-1"]), .fails("truncated")
            ) { script in
                try script.shakeHands()
                try script.send(try script.proof())
                try script.hear()
                try script.send(script.peerInfo())
                try script.hear()
                try script.end()
            }
        }
        try scripts.add(
            ScriptSetting(role),
            ScriptHead(
                comment: "CLOSE before PROOF", requirements: ["R9.5-1", "R16.1-2"], flags: ["ClosedByPeer"]), .good
        ) { script in
            try script.shakeHands()
            try script.send(script.close(0x20))
            try script.hear()
            try script.end()
        }
        try scripts.add(
            ScriptSetting(role),
            ScriptHead(
                comment: "PROOF and PEER_INFO in one record, padding around", requirements: ["R6.3-1"],
                flags: ["UnknownIgnorable"], section: "6.5"), .fails("truncated")
        ) { script in
            try script.shakeHands()
            try script.send(try script.proof(), script.padding(), script.peerInfo(), script.padding(0))
            try script.hear()
            try script.end()
        }
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
            let head = ScriptHead(
                comment: "\(role.name): \(comment)", requirements: requirements + ["R9.5-6"], flags: [flag])
            try scripts.add(ScriptSetting(role), head, .fails(code)) { script in
                try script.shakeHands()
                try script.send(try make(script))
                try script.hear()
                try script.end()
            }
        }
        if role == .responder {
            try scripts.add(
                ScriptSetting(role),
                ScriptHead(
                    comment: "the responder's own PROOF, reflected: it is signed for another role",
                    requirements: ["R9.5-2", "R9.5-6"],
                    flags: ["ReflectedProof"]), .fails("proof_invalid")
            ) { script in
                try script.shakeHands()
                let proof = script.heard.first { $0.name == "PROOF" }?.payload ?? []
                try script.send(WireBytes.frame(.proof, proof))
                try script.hear()
                try script.end()
            }
        }
    }

    private func unknownFrames(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        for (type, name) in [(0x21, "an unknown odd frame"), (0x5F, "a GREASE frame"), (0x22, "an unknown even frame")]
            as [(UInt64, String)]
        {
            let head = ScriptHead(
                comment: "\(role.name): \(name) before PROOF", requirements: ["R6.4-3"], flags: ["BeforeProof"],
                section: "6.4")
            try scripts.add(ScriptSetting(role), head, .fails("unexpected_frame")) { script in
                try script.shakeHands()
                try script.send(WireBytes.frame(type, [1]), try script.proof())
                try script.hear()
                try script.end()
            }
        }
    }

    private func limits(_ scripts: ScriptWriter, _ role: LinkRole) throws {
        // The header is 3 bytes, the tag 16, the padding's type and length 3.
        try scripts.add(
            ScriptSetting(role),
            ScriptHead(
                comment: "\(role.name): 1,024 bytes of record with PROOF", requirements: ["R19-2"], section: "19"),
            .fails("truncated")
        ) { script in
            try script.shakeHands()
            let proof = try script.proof()
            try script.send(proof, script.padding(1_024 - 3 - 16 - 3 - proof.count))
            try script.hear()
            try script.end()
        }
        let head = ScriptHead(
            comment: "\(role.name): 1,025 bytes of record before PROOF, found in the header",
            requirements: ["R19-2"], flags: ["ExceedsLimit"], section: "19")
        try scripts.add(ScriptSetting(role), head, .fails("limit_exceeded")) { script in
            try script.shakeHands()
            try script.bytes([0x10] + WireBytes.u16(1_022))
            try script.hear()
            try script.end()
        }
        try scripts.add(
            ScriptSetting(role),
            ScriptHead(
                comment: "\(role.name): a long record after PROOF", requirements: ["R19-2"], section: "19"),
            .fails("truncated")
        ) { script in
            try script.shakeHands()
            try script.send(try script.proof())
            try script.send(script.padding(2_000), script.peerInfo())
            try script.hear()
            try script.end()
        }
    }
}
