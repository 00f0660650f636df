internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// A script while it is written: the implementation plays its part, the peer's side is forged from primitives, and so can
/// be any sequence of frames in a real channel.
final class Script {
    let setting: ScriptSetting
    let samples: Samples
    let own: ScriptSetting.Side
    let peer: ScriptSetting.Side
    let material: Material
    private let link: ScriptLink
    private let forge: NoiseForge
    private(set) var params: [String: JSONValue]
    private(set) var steps: [JSONValue] = []
    /// All frames that the implementation has sent, by name, with their payloads.
    private(set) var heard: [(name: String, payload: [UInt8])] = []
    private(set) var ends: [JSONValue] = []
    private var outcome: NoiseForge.Outcome?
    private var counter: UInt64 = 0
    private var reader: SendsReader?
    /// Whether the implementation's certificate signs in a way that cannot be repeated.
    var hidesSignature = false
    /// Whole frames as sent: what the binding covers.
    var invite: [UInt8] = []
    var accept: [UInt8] = []

    init(_ setting: ScriptSetting, samples: Samples, material: Material) throws {
        self.setting = setting
        self.samples = samples
        self.material = material
        (own, peer) = try setting.sides(samples)
        params = try setting.params(samples)
        forge = NoiseForge(crypto: samples.crypto)
        link = try ScriptLink(params: Arguments(.object(params), "params"), crypto: samples.crypto)
    }

    // MARK: Steps

    /// Bytes arrive.
    func bytes(_ bytes: [UInt8]) throws { try take(["actor": "peer", "bytes": .hex(bytes)]) }

    /// The stream ends.
    func end() throws { try take(["actor": "peer", "end": true]) }

    /// Time passes.
    func clock(_ milliseconds: Int) throws { try take(["actor": "clock", "advance": .integer(milliseconds)]) }

    /// The app does something.
    func app(_ what: String, _ members: [String: JSONValue] = [:]) throws {
        try take(.object(members.merging(["actor": "app", "do": .string(what)]) { own, _ in own }))
    }

    private func take(_ step: JSONValue) throws {
        try link.take(Arguments(step, "step"))
        steps.append(step)
    }

    /// What the implementation has sent and reported.
    func hear() throws {
        let poll = link.poll()
        var reader = self.reader ?? SendsReader(crypto: samples.crypto, suite: setting.suite, key: nil)
        let sends = try reader.read(poll.sends)
        self.reader = reader
        note(sends, poll.events)
    }

    private func note(_ sends: [JSONValue], _ events: [JSONValue]) {
        for sent in sends {
            guard let name = sent["frame"]?.text, let payload = Hexadecimal.decode(sent["payload"]?.text ?? "") else {
                continue
            }
            heard.append((name, payload))
            if name == "INVITE", invite.isEmpty { invite = Wire.frame(.invite, payload) }
            if name == "ACCEPT" { accept = Wire.frame(.accept, payload) }
        }
        ends += events.filter { $0["event"] == "closed" }
        steps.append(["actor": "self", "sends": .array(sends.map(masked)), "events": .array(events)])
    }

    /// A payload of CERTIFICATES without its signature.
    private func masked(_ sent: JSONValue) -> JSONValue {
        guard hidesSignature, case .object(var members) = sent, sent["frame"] == "CERTIFICATES",
            let payload = Hexadecimal.decode(sent["payload"]?.text ?? ""),
            let frame = try? Certificates(payload: payload.span)
        else { return sent }
        let kept = payload.count - Wire.vector(frame.signature).count
        members["payload"] = .string(Hexadecimal.encode(Array(payload.prefix(kept))) + "*")
        return .object(members)
    }

    // MARK: The peer

    /// The keys exist.
    private func secure(_ outcome: NoiseForge.Outcome) {
        self.outcome = outcome
        let isInitiator = setting.role == .initiator
        let (send, receive) = (outcome.initiatorKey, outcome.responderKey)
        params["handshakeHash"] = .hex(outcome.handshakeHash)
        params["sendKey"] = .hex(isInitiator ? send : receive)
        params["receiveKey"] = .hex(isInitiator ? receive : send)
        var reader = self.reader ?? SendsReader(crypto: samples.crypto, suite: setting.suite, key: nil)
        reader.key = isInitiator ? send : receive
        self.reader = reader
    }

    var handshakeHash: [UInt8] { outcome?.handshakeHash ?? [] }
    private var peerKey: [UInt8] {
        (setting.role == .initiator ? outcome?.responderKey : outcome?.initiatorKey) ?? []
    }

    /// The peer's HELLO as an initiator.
    func peerHello(versions: [UInt16] = [1], suites: [UInt16]? = nil, key: [UInt8]? = nil) throws -> [UInt8] {
        let body =
            Wire.values(versions) + Wire.values(suites ?? [setting.suite.rawValue]) + [0]
            + (try key ?? samples.publicKey(peer.ephemeral))
        return Magic.bytes + Wire.record(0x01, body)
    }

    /// The implementation's opening, once it has said it; nothing is noted.
    private func opening() -> [UInt8] {
        let poll = link.poll()
        var fresh = SendsReader(crypto: samples.crypto, suite: setting.suite, key: nil)
        // An initiator says nothing but its hello.
        let sends = (try? fresh.read(poll.sends)) ?? []
        reader = fresh
        note(sends, poll.events)
        return poll.sends
    }

    /// Hellos both ways. Afterwards there is a channel, and a responder has sent its PROOF.
    func shakeHands(suites: [UInt16]? = nil) throws {
        if setting.role == .initiator {
            let made = try reply()
            try bytes(made.opening)
            secure(made.outcome)
            return
        }
        let hello = try peerHello(suites: suites)
        try bytes(hello)
        let poll = link.poll()
        let length = 11 + (poll.sends.count > 11 ? Int(poll.sends[9]) << 8 + Int(poll.sends[10]) : 0)
        secure(
            try NoisePeer(samples: samples).finish(
                opening: hello, reply: Array(poll.sends.prefix(length)), suite: setting.suite,
                privateKey: peer.ephemeral))
        guard var reader else { return }
        let sends = try reader.read(poll.sends)
        self.reader = reader
        note(sends, poll.events)
    }

    /// The peer's answer to the implementation's hello, not yet sent.
    func reply(algorithm: Suite? = nil) throws -> NoisePeer.Reply {
        try NoisePeer(samples: samples).reply(
            to: opening(), suite: setting.suite, algorithm: algorithm, privateKey: peer.ephemeral)
    }

    /// A sealed record of the peer's; the counter goes on.
    func record(_ frames: [UInt8]..., kind: RecordKind = .encrypted, key: [UInt8]? = nil) throws -> [UInt8] {
        defer { counter += 1 }
        return try RecordForge(forge: forge, suite: setting.suite).record(
            kind.rawValue, frames.flatMap { $0 }, key: key ?? peerKey, counter: counter)
    }

    /// The peer sends frames in one record.
    func send(_ frames: [UInt8]..., kind: RecordKind = .encrypted) throws {
        try bytes(try record(frames.flatMap { $0 }, kind: kind))
    }

    /// The peer leaves a record out: its counter goes on.
    func skipCounter() { counter += 1 }
}
