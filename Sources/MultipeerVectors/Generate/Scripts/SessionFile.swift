internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `session/transcripts` and `session/transcripts-verified`: both peers of whole sessions (SPEC §5).
struct SessionFile {
    let files: ScriptFiles

    private func writer(_ name: String) -> ScriptWriter {
        ScriptWriter(
            name, section: "5", samples: files.samples, material: files.material, faults: files.subject.faults,
            type: .session)
    }

    func write() throws -> ScriptWriter {
        let scripts = writer("transcripts")
        for suite in Suite.classical {
            for preference in [0, 1] as [UInt8] {
                for certificate in [nil, "ed25519"] {
                    for responderInvites in [false, true] {
                        try add(scripts, suite, preference, certificate, responderInvites)
                    }
                }
            }
        }
        return scripts
    }

    /// With hybrid suites (SPEC §7.6).
    func writeHybrid() throws -> ScriptWriter {
        let scripts = writer("transcripts-hybrid")
        for suite in Suite.hybrid { try add(scripts, suite, 1, nil, false) }
        return scripts
    }

    /// With a one-time code and a short string (SPEC §25).
    func writeVerified() throws -> ScriptWriter {
        let scripts = writer("transcripts-verified")
        for typist in [LinkRole.initiator, .responder] { try addPaired(scripts, typist) }
        return scripts
    }

    private func addPaired(_ scripts: ScriptWriter, _ typist: LinkRole) throws {
        let transcript = try Transcript(files: files, suite: .chaChaPoly, pairs: true)
        try transcript.playPaired(typist: typist)
        let head = CaseList.Head(
            comment:
                "suite \(Suite.chaChaPoly.rawValue), the \(typist.name) types the code that its peer shows, and invites; "
                + "both persons compare strings: a message, close",
            requirements: ["R8.1-5", "R25.5-3", "R25.5-4", "R25.6-5", "R16.1-2"], features: ["verification"])
        scripts.append(head, params: .object(transcript.params), steps: transcript.steps, .accept)
    }

    private func add(
        _ scripts: ScriptWriter, _ suite: Suite, _ preference: UInt8, _ certificate: String?, _ responderInvites: Bool
    ) throws {
        let transcript = try Transcript(files: files, suite: suite)
        try transcript.play(
            preference: preference, certificate: certificate, inviter: responderInvites ? .responder : .initiator)
        let head = CaseList.Head(
            comment: "suite \(suite.rawValue), \(preference == 0 ? "readable" : "encrypted"), "
                + (certificate.map { "certificates of \($0)" } ?? "no certificates")
                + ", the \(responderInvites ? "responder" : "initiator") invites: messages, a file, one that is resumed, a stream, close",
            requirements: [
                "R7.2-1", "R8.1-1", "R9.5-1", "R10.5-1", preference == 0 ? "R11-2" : "R11-1", "R13.6-1", "R15.7-2",
                "R16.1-2",
            ],
            features: suite.features + (certificate == nil ? [] : ["x509", "x509-ed25519"]))
        scripts.append(head, params: .object(transcript.params), steps: transcript.steps, .accept)
    }
}

/// Two of this project's links, and everything that passes between them.
private final class Transcript {
    private let files: ScriptFiles
    private let setting: ScriptSetting
    private(set) var params: [String: JSONValue] = [:]
    private(set) var steps: [JSONValue] = []
    private let initiator: ScriptLink
    private let responder: ScriptLink
    private var readers: [LinkRole: SendsReader] = [:]
    /// What each peer has sent in the clear.
    private var openings: [LinkRole: [UInt8]] = [:]
    private let own: ScriptSetting.Side

    /// - Parameter pairs: Whether both peers list the feature *verification* (SPEC §25.6).
    init(files: ScriptFiles, suite: Suite, pairs: Bool = false) throws {
        self.files = files
        let setting = ScriptSetting(.initiator, suite: suite)
        self.setting = setting
        let (own, peer) = try setting.sides(files.samples)
        self.own = own
        func params(_ side: ScriptSetting.Side, _ role: LinkRole) throws -> JSONValue {
            var members: [String: JSONValue] = [
                "identitySeed": .hex(side.seed), "displayName": .hex(side.name), "maximumMessage": 4_096,
                "ephemeralPrivate": .hex(side.ephemeral), "sessionNonce": .hex(side.nonce),
            ]
            for (name, value) in try setting.hybridParams(role, files.samples) { members[name] = value }
            if pairs {
                members["features"] = [.integer(Int(Feature.verification.rawValue))]
                members["random"] = .array(
                    (1...3).map { .hex(files.samples.bytes32("\(role.name)'s randomness \($0)")) })
            }
            return .object(members)
        }
        let sides = [LinkRole.initiator: try params(own, .initiator), .responder: try params(peer, .responder)]
        func link(_ role: LinkRole) throws -> ScriptLink {
            let members = (sides[role]?.members ?? [:]).merging(
                ["role": .string(role.name), "suite": .integer(Int(suite.rawValue))]) { own, _ in own }
            return try ScriptLink(params: Arguments(.object(members), "params"), crypto: files.samples.crypto)
        }
        initiator = try link(.initiator)
        responder = try link(.responder)
        self.params = ["suite": .integer(Int(suite.rawValue))]
        for (role, side) in sides { self.params[role.name] = side }
    }

    func play(preference: UInt8, certificate: String?, inviter: LinkRole) throws {
        try flow()
        try open(preference: preference, certificate: certificate, inviter: inviter)
        try app(.initiator, "send", ["message": .hex(Array("hello".utf8))])
        try app(.responder, "send", ["message": .hex(Array("hello yourself".utf8))])
        try flow()
        try file()
        try resume()
        try stream()
        try app(.responder, "close")
        try flow()
    }

    /// SPEC §25: a one-time code, and a short string on the link that it has verified.
    func playPaired(typist: LinkRole) throws {
        try flow()
        let code = JSONValue.string("4-tulip-orbit")
        try app(typist.peer, "showCode", ["code": code])
        try app(typist, "giveCode", ["code": code])
        try flow()
        for role in [LinkRole.initiator, .responder] { try app(role, "compareStrings") }
        try flow()
        try open(preference: 1, certificate: nil, inviter: typist)
        try app(typist, "send", ["message": .hex(Array("hello".utf8))])
        try flow()
        try app(typist, "close")
        try flow()
    }

    /// An invitation, and all that follows as far as *open*.
    private func open(preference: UInt8, certificate: String?, inviter: LinkRole) throws {
        var terms: [String: JSONValue] = [
            "preference": .integer(Int(preference)), "identityKind": .integer(certificate == nil ? 0 : 1),
        ]
        if let certificate { terms["certificate"] = try files.material.key(certificate).json }
        try app(
            inviter, "invite",
            terms.merging(["timeout": 30_000, "context": .hex(Array("play?".utf8))]) { own, _ in own })
        try flow()
        try app(inviter.peer, "accept", terms)
        try flow()
        for role in [LinkRole.initiator, .responder] { try app(role, "resolve", ["verdict": "accept"]) }
        try flow()
    }

    private func file() throws {
        try app(.initiator, "offerFile", ["name": .hex(Array("notes.txt".utf8)), "size": 11])
        try flow()
        try app(.responder, "acceptFile")
        try flow()
        try app(.initiator, "supply", ["bytes": .hex(Array("some bytes\n".utf8))])
        try flow()
        try app(.responder, "confirmFile")
        try flow()
    }

    /// A file of which the remote peer holds the first five bytes.
    private func resume() throws {
        let (beginning, rest) = (Array("hello".utf8), Array(" you".utf8))
        let sha256 = files.samples.crypto.sha256
        let digests: [String: JSONValue] = ["sha256": .hex(sha256(beginning)), "whole": .hex(sha256(beginning + rest))]
        try app(
            .responder, "offerFile",
            ["name": .hex(Array("more.txt".utf8)), "size": 9, "tag": .hex([UInt8](repeating: 7, count: 16))])
        try flow()
        try app(.initiator, "acceptFile", digests.merging(["offset": "5"]) { own, _ in own })
        try flow()
        try app(.responder, "sourceHash", digests)
        try flow()
        try app(.responder, "supply", ["bytes": .hex(rest)])
        try flow()
        try app(.initiator, "confirmFile")
        try flow()
    }

    /// A stream both ways.
    private func stream() throws {
        try app(.initiator, "openStream", ["name": .hex(Array("chat".utf8)), "credit": "32768"])
        try app(.initiator, "write", ["bytes": .hex(Array("hello".utf8))])
        try flow()
        try app(.responder, "takeStream", ["count": 100])
        try app(.responder, "write", ["bytes": .hex(Array("hello yourself".utf8))])
        try app(.responder, "endStream")
        try flow()
        try app(.initiator, "takeStream", ["count": 100])
        try app(.initiator, "endStream")
        try flow()
    }

    private func link(_ role: LinkRole) -> ScriptLink { role == .initiator ? initiator : responder }

    private func app(_ role: LinkRole, _ what: String, _ members: [String: JSONValue] = [:]) throws {
        let step = members.merging(["actor": "app", "do": .string(what)]) { own, _ in own }
        try link(role).take(Arguments(.object(step), "step"))
        steps.append(.object(step.merging(["actor": .string(role.name)]) { _, new in new }))
    }

    /// Carries bytes until both are silent.
    private func flow() throws {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for role in [LinkRole.initiator, .responder] {
                let poll = link(role).poll()
                guard !poll.sends.isEmpty || !poll.events.isEmpty else { continue }
                isQuiet = false
                let sends = try read(poll.sends, from: role)
                steps.append([
                    "actor": .string(role.name), "bytes": .hex(poll.sends), "sends": .array(sends),
                    "events": .array(poll.events),
                ])
                if !poll.sends.isEmpty {
                    try link(role.peer).take(
                        Arguments(["actor": "peer", "bytes": .hex(poll.sends)], "step"))
                }
            }
        }
    }

    private func read(_ bytes: [UInt8], from role: LinkRole) throws -> [JSONValue] {
        guard !bytes.isEmpty else { return [] }
        if openings[role] == nil {
            openings[role] = Array(bytes.prefix(11 + Int(bytes[9]) << 8 + Int(bytes[10])))
            if role == .responder { try secure() }
        }
        var reader =
            readers[role] ?? SendsReader(crypto: files.samples.crypto, suite: setting.suite, key: nil)
        let sends = try reader.read(bytes)
        readers[role] = reader
        return sends
    }

    /// Both openings are there: the keys follow.
    private func secure() throws {
        let (one, other) = (openings[.initiator] ?? [], openings[.responder] ?? [])
        let steps = NoiseSteps(crypto: files.samples.crypto.provider)
        let theirs = Array(other.suffix(ResponderHello.noiseLength).prefix(32))
        let outcome = try steps.run(
            suite: setting.suite,
            prologue: SignedBytes.prologue(
                initiator: one.dropLast(InitiatorHello.noiseLength),
                responder: other.dropLast(ResponderHello.noiseLength)),
            initiatorKey: Array(one.suffix(InitiatorHello.noiseLength)), responderKey: theirs,
            shared: try steps.agree(own.ephemeral, theirs),
            encapsulated: setting.suite.isHybrid ? try files.samples.encapsulated().secret : nil)
        params["handshakeHash"] = .hex(outcome.handshakeHash)
        params["initiatorKey"] = .hex(outcome.initiatorKey)
        params["responderKey"] = .hex(outcome.responderKey)
        readers[.initiator]?.key = outcome.initiatorKey
        readers[.responder] = SendsReader(
            crypto: files.samples.crypto, suite: setting.suite, key: outcome.responderKey)
    }
}
