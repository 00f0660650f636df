@_spi(Observation) internal import MultipeerCore
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Certificates, verdicts, READY: SPEC §10.
struct CertificateScripts {
    let files: ScriptFiles
    private static let features = [
        "ed25519": "x509-ed25519", "p256": "x509-p256", "p384": "x509-p384", "rsa": "x509-rsa",
    ]

    func write() throws -> ScriptWriter {
        let scripts = files.writer("certificates", section: "10.2")
        for role in ScriptFiles.roles {
            let setting = ScriptSetting(role)
            try shown(scripts, setting)
            try contradictions(scripts, setting)
            try badBindings(scripts, setting)
            try verdicts(scripts, setting)
            try readiness(scripts, setting)
        }
        return scripts
    }

    private func shown(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for name in ["ed25519", "p256", "p384", "rsa"] {
            let feature = Self.features[name] ?? "x509"
            try scripts.works(
                setting, "both sides show \(name); the implementation invited", ["R10.4-1", "R10.2-2"], section: "10.3",
                features: ["x509", feature]
            ) {
                try $0.invited(peerShows: true, own: name).send($0.certificates(name)).hear()
                    .app("resolve", ["verdict": "accept"]).send($0.ready)
            }
            try scripts.works(
                setting, "both sides show \(name); the peer invited", ["R10.4-1", "R10.2-2"], section: "10.3",
                features: ["x509", feature]
            ) {
                try $0.reach(.identified).send($0.invite(identityKind: 1)).selfAccepts(certificate: name).hear()
                    .send($0.certificates(name), $0.ready).hear().app("resolve", ["verdict": "accept"])
            }
        }
    }

    private func contradictions(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let plain: [(String, [UInt8])] = [
            ("a chain", WireBytes.vector(WireBytes.vector([0x30, 0x00])) + [0x08, 0x07, 0, 0]),
            ("an algorithm", [0, 0x08, 0x07, 0, 0]),
            ("a signature", [0, 0, 0, 1, 9, 0]),
        ]
        for (comment, payload) in plain {
            try scripts.fails(
                setting, "malformed", "ContradictingIdentity", "identityKind 0 and \(comment)", ["R10.2-2"]
            ) { try $0.invited(peerShows: false).send(WireBytes.frame(.certificates, payload)) }
        }
        try scripts.fails(
            setting, "malformed", "ContradictingIdentity", "identityKind 1 and no chain", ["R10.2-2"],
            features: ["x509"]
        ) { try $0.invited(peerShows: true).send($0.noCertificates) }
        try scripts.fails(
            setting, "malformed", "LengthOutOfRange", "nine certificates", ["R10.2-1"], features: ["x509"]
        ) { script in
            try script.invited(peerShows: true)
            let nine = [UInt8]([[UInt8]](repeating: WireBytes.vector([0x30, 0]), count: 9).joined())
            try script.send(WireBytes.frame(.certificates, WireBytes.vector(nine) + [8, 7, 0, 0]))
        }
    }

    private func badBindings(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        let cases: [(String, String, (Script) throws -> [UInt8])] = [
            ("ReflectedProof", "signed for one's own role", { try $0.certificates("ed25519", signer: setting.role) }),
            (
                "WrongTranscript", "signed over another INVITE",
                { try $0.certificates("ed25519", invite: WireBytes.frame(.invite, [1, 2, 3])) }
            ),
            ("AlgorithmMismatch", "an unknown algorithm", { try $0.certificates("ed25519", algorithm: 0x0999) }),
            ("AlgorithmMismatch", "ECDSA for an Ed25519 key", { try $0.certificates("ed25519", algorithm: 0x0403) }),
            (
                "BadSignature", "a bit of the signature is flipped",
                { script in
                    var frame = try script.certificates("ed25519")
                    frame[frame.count - 2] ^= 1
                    return frame
                }
            ),
            (
                "LeafMalformed", "a leaf that is no certificate",
                { _ in
                    WireBytes.frame(
                        .certificates, WireBytes.vector(WireBytes.vector([0x30, 0x01, 0x02])) + [8, 7, 1, 0, 0])
                }
            ),
        ]
        for (flag, comment, frame) in cases {
            try scripts.fails(
                setting, "binding_invalid", flag, "\(comment): the app is asked nothing", ["R10.4-1"], section: "10.4",
                features: ["x509", "x509-ed25519"]
            ) { try $0.invited(peerShows: true).send(frame($0)) }
        }
        try scripts.fails(
            setting, "binding_invalid", "WrongTranscript", "a chain whose signature is replayed from another link",
            ["R10.4-1"], section: "10.4", features: ["x509", "x509-ed25519"]
        ) { script in
            try script.invited(peerShows: true)
            let key = try script.material.key("ed25519")
            let other = try BindingGroup(crypto: script.samples.crypto).bound(
                Arguments(
                    .object(
                        BoundLink(script.samples, signer: script.peerRole, inviter: setting.role).inputs.merging(
                            ["chain": .array(key.chain.map(JSONValue.hex))]) { own, _ in own }), "inputs")
            ).message
            let signature = try script.material.signature("ed25519", other, crypto: script.samples.crypto)
            let chain = key.chain.flatMap(WireBytes.vector)
            try script.send(
                WireBytes.frame(.certificates, WireBytes.vector(chain) + [8, 7] + WireBytes.vector(signature) + [0]))
        }
    }

    private func verdicts(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in [Script.Stage.judging, .peerReady] {
            try scripts.fails(
                setting, "certificate_rejected", "Rejected", "the app rejects in \(stage.rawValue)",
                ["R10.5-1", "R10.5-2"], section: "10.5"
            ) { try $0.reach(stage).app("resolve", ["verdict": "reject"]) }
        }
        try scripts.works(
            setting, "a second verdict changes nothing", ["R10.5-1"], section: "10.5"
        ) { try $0.reach(.selfReady).app("resolve", ["verdict": "reject"]).hear().send($0.ready) }
        try scripts.works(
            setting, "no READY without a verdict", ["R10.5-1"], section: "10.5", end: .fails("truncated")
        ) { try $0.reach(.peerReady).clock(59_999).hear().end() }
        for code in [0x10, 0x11, 0x12, 0x13, 0x14, 0x15] as [UInt64] {
            try scripts.works(
                setting, "the peer rejects with code \(code)", ["R10.5-2", "R16.1-2"], flags: ["ClosedByPeer"],
                section: "10.5"
            ) { try $0.reach(.judging).send($0.close(code)).hear().end() }
        }
    }

    private func readiness(_ scripts: ScriptWriter, _ setting: ScriptSetting) throws {
        for stage in [Script.Stage.judging, .selfReady] {
            try scripts.play(LinkEndRules.badReady(at: stage), setting)
            try scripts.works(
                setting, "READY with an odd field in \(stage.rawValue)", ["R3.4-2"], flags: ["UnknownIgnorable"],
                section: "10.5"
            ) { script in
                try script.reach(stage)
                try script.send(WireBytes.frame(.ready, WireBytes.vector(WireBytes.field(1, [1]))))
                try script.app("resolve", ["verdict": "accept"])
            }
        }
        try scripts.play(LinkEndRules.earlyReady + LinkEndRules.certificatesTwice, setting)
        for preference in [0, 1] as [UInt8] {
            try scripts.fails(
                setting, preference == 0 ? "wrong_protection" : "unexpected_frame",
                preference == 0 ? "WrongProtection" : "UnexpectedFrame",
                "payload after the peer's READY, before one's own; preference \(preference)", ["R10.5-3", "R12.4-2"],
                section: "10.5"
            ) {
                try $0.reach(.peerReady, preference: preference)
                    .send($0.message("early"), kind: preference == 0 ? .authenticated : .encrypted)
            }
        }
        try scripts.works(
            setting, "payload right behind READY, once one's own is sent", ["R10.5-3"], section: "10.5"
        ) { try $0.reach(.selfReady).send($0.ready, $0.message("first")) }
    }
}
