internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerTesting
internal import MultipeerWire

/// A script while it is written: the implementation plays its part, and the scripted peer the other, so that it can be any
/// sequence of frames in a real channel.
final class Script {
    let setting: ScriptSetting
    let samples: Samples
    let own: ScriptSetting.Side
    let peer: ScriptSetting.Side
    let material: Material
    private let link: ScriptLink
    let player: ScriptedPeer
    private(set) var params: [String: JSONValue]
    private(set) var steps: [JSONValue] = []
    /// All frames that the implementation has sent, by name, with their payloads.
    private(set) var heard: [(name: String, payload: [UInt8])] = []
    private(set) var ends: [JSONValue] = []
    private var reader: SendsReader?
    /// Whether the implementation's certificate signs in a way that cannot be repeated.
    var hidesSignature = false
    /// Whole frames as sent: what the binding covers.
    var invite: [UInt8] {
        get { player.invite }
        set { player.invite = newValue }
    }
    var accept: [UInt8] {
        get { player.accept }
        set { player.accept = newValue }
    }

    /// The peer's attempt with a one-time code.
    var attempt: ScriptedAttempt?

    /// The peer's PEER_INFO, the whole frame as sent.
    var peersInfo: [UInt8] = []
    /// The implementation's.
    var ownInfo: [UInt8] {
        heard.first { $0.name == "PEER_INFO" }.map { WireBytes.frame(.peerInfo, $0.payload) } ?? []
    }

    init(_ setting: ScriptSetting, samples: Samples, material: Material) throws {
        self.setting = setting
        self.samples = samples
        self.material = material
        (own, peer) = try setting.sides(samples)
        params = try setting.params(samples)
        player = try samples.peer(setting.role.peer.stream, seed: peer.seed, ephemeral: peer.ephemeral)
        player.peerKey = own.key
        if setting.role == .initiator { player.encapsulated = try samples.encapsulated() }
        player.encapsulationSeed = samples.kemSeed
        link = try ScriptLink(params: Arguments(.object(params), "params"), crypto: samples.crypto)
    }

    // MARK: Steps

    /// Bytes arrive.
    @discardableResult
    func bytes(_ bytes: [UInt8]) throws -> Script { try take(["actor": "peer", "bytes": .hex(bytes)]) }

    /// The stream ends.
    @discardableResult
    func end() throws -> Script { try take(["actor": "peer", "end": true]) }

    /// Time passes.
    @discardableResult
    func clock(_ milliseconds: Int) throws -> Script {
        try take(["actor": "clock", "advance": .integer(milliseconds)])
    }

    /// Time passes, and no timer fires.
    @discardableResult
    func quietClock(_ milliseconds: Int) throws -> Script {
        try take(["actor": "clock", "advance": .integer(milliseconds), "timers": false])
    }

    /// The app does something.
    @discardableResult
    func app(_ what: String, _ members: [String: JSONValue] = [:]) throws -> Script {
        try take(.object(members.merging(["actor": "app", "do": .string(what)]) { own, _ in own }))
    }

    private func take(_ step: JSONValue) throws -> Script {
        try link.take(Arguments(step, "step"))
        steps.append(step)
        return self
    }

    /// What the implementation has sent and reported.
    @discardableResult
    func hear() throws -> Script {
        let poll = link.poll()
        var reader = self.reader ?? SendsReader(crypto: samples.crypto, suite: setting.suite, key: nil)
        let sends = try reader.read(poll.sends)
        self.reader = reader
        note(sends, poll.events)
        return self
    }

    private func note(_ sends: [JSONValue], _ events: [JSONValue]) {
        for sent in sends {
            guard let name = sent["frame"]?.text, let payload = Hexadecimal.decode(sent["payload"]?.text ?? "") else {
                continue
            }
            heard.append((name, payload))
            if name == "INVITE", invite.isEmpty { invite = WireBytes.frame(.invite, payload) }
            if name == "ACCEPT" { accept = WireBytes.frame(.accept, payload) }
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
        // The signature, and the empty field list after it.
        let kept = payload.count - WireBytes.vector(frame.signature).count - 1
        members["payload"] = .string(Hexadecimal.encode(Array(payload.prefix(kept))) + "*")
        return .object(members)
    }

    // MARK: The peer

    /// The keys exist.
    private func secure() {
        let (send, receive) = (player.receiving?.key ?? [], player.sending?.key ?? [])
        params["handshakeHash"] = .hex(handshakeHash)
        params["sendKey"] = .hex(send)
        params["receiveKey"] = .hex(receive)
        var reader = self.reader ?? SendsReader(crypto: samples.crypto, suite: setting.suite, key: nil)
        reader.key = send
        self.reader = reader
    }

    var handshakeHash: [UInt8] { player.handshakeHash }

    /// The peer's HELLO as an initiator, with another key if there is one.
    func peerHello(
        versions: [UInt16] = [ProtocolVersion.draft04.rawValue], suites: [UInt16]? = nil, key: [UInt8]? = nil,
        share: [UInt8]?? = nil
    ) throws -> [UInt8] {
        player.ephemeralKey = key.map { .lowOrder($0) } ?? .sound
        try player.sendHello(.init(versions: versions, suites: suites ?? [setting.suite.rawValue], share: share))
        return player.flush()
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
    @discardableResult
    func shakeHands(suites: [UInt16]? = nil) throws -> Script {
        if setting.role == .initiator {
            try bytes(try reply())
            secure()
            return self
        }
        try bytes(try peerHello(suites: suites))
        let poll = link.poll()
        try player.receive(poll.sends)
        secure()
        guard var reader else { return self }
        let sends = try reader.read(poll.sends)
        self.reader = reader
        note(sends, poll.events)
        return self
    }

    /// The peer's answer to the implementation's hello, not yet sent.
    func reply(suite: Suite? = nil, share: [UInt8]?? = nil, algorithm: Suite? = nil) throws -> [UInt8] {
        try player.receive(opening())
        try player.sendAnswer(
            .init(suite: (suite ?? setting.suite).rawValue, share: share, algorithm: algorithm))
        return player.flush()
    }

    /// A sealed record of the peer's; the counter continues.
    func record(_ frames: [UInt8]..., kind: RecordKind = .encrypted, key: [UInt8]? = nil) throws -> [UInt8] {
        guard let key else { return try player.seal(frames.flatMap { $0 }, as: kind) }
        var other = try RecordCipher(
            suite: setting.suite, key: key, counter: player.sending?.counter ?? 0, crypto: samples.crypto.provider)
        skipCounter()
        return try other.seal(frames.flatMap { $0 }, as: kind)
    }

    /// The peer sends frames in one record.
    @discardableResult
    func send(_ frames: [UInt8]..., kind: RecordKind = .encrypted) throws -> Script {
        try bytes(try record(frames.flatMap { $0 }, kind: kind))
    }

    /// The peer replaces the key of what it sends (SPEC §12.6).
    func rekeyPeer() throws { try player.rekeySending() }

    /// The peer leaves a record out: its counter continues.
    func skipCounter() { player.sending?.counter += 1 }
}
