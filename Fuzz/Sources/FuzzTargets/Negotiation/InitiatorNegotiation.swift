import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire

/// An initiator that gets an answer, against what SPEC §7.1 to §7.5 let it take.
struct InitiatorNegotiation {
    let setting: NegotiationSetting

    /// Answers with a clear record of any body.
    func check(_ kind: UInt8, raw body: [UInt8]) throws {
        var peer = setting.link(.initiator)
        let offer = try offer(of: peer.transmit(at: NegotiationSetting.start))
        setting.feed(kind, body, to: &peer)
        var cause = kind == 0x01 ? model(body, offer) : refusal(body)
        if cause == nil, setting.isWeak(try ModelHello.Responder(body).ephemeral, own: offer.ephemeral) {
            cause = .handshakeFailed
        }
        // A tag that only the owner of the keys could have made comes between the input and a channel.
        if cause == nil, setting.crypto.isSealing { cause = .handshakeFailed }
        try expect(cause, &peer)
    }

    /// Answers with a hello that is a choice of the input's, and a Noise message that is right for it.
    func check(forged choices: inout Choices) throws {
        var peer = setting.link(.initiator)
        let evil = ScriptedPeer(
            role: .responder, identity: Persona.eve.identity(setting.crypto), crypto: setting.crypto.provider,
            random: SeededRandomSource(seed: setting.seed &+ 1_000))
        let sent = peer.transmit(at: NegotiationSetting.start)
        let offer = try offer(of: sent)
        try evil.receive(sent)
        let version = value(&choices, offer.versions)
        let suite = value(&choices, offer.suites)
        let extensions = (0..<choices.int(below: 4)).map { _ in
            (value(&choices, offer.extensions.map(\.type)), choices.bytes(upTo: 15))
        }
        try evil.sendAnswer(.init(version: version, suite: suite, extensions: extensions))
        let answer = evil.flush()
        setting.feed(answer, to: &peer)
        let body = Array(answer.dropFirst(8 + 3))
        try expect(model(body, offer), &peer)
    }

    /// A value that was offered, or any other.
    private func value(_ choices: inout Choices, _ offered: [UInt16]) -> UInt16 {
        let selector = choices.byte()
        guard selector & 1 == 0, !offered.isEmpty else { return choices.uint16() }
        return offered[Int(selector >> 1) % offered.count]
    }

    /// The hello that went out, which must be one that R7.1-1 and §7.4 allow.
    private func offer(of sent: [UInt8]) throws -> ModelHello.Initiator {
        var bytes = ModelBytes(sent)
        try requireEqual(try bytes.take(9), [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00, 0x01], "magic, HELLO")
        let hello = try ModelHello.Initiator(try bytes.take(Int(try bytes.u16())))
        try bytes.end()
        let grease = setting.sendsGrease ? 1 : 0
        for values in [hello.versions, hello.suites, hello.extensions.map(\.type)] {
            try requireEqual(values.filter(ModelHello.isGrease).count, grease, "GREASE in \(values)")
        }
        try requireEqual(hello.versions.filter { !ModelHello.isGrease($0) }, [ModelHello.draft], "versions")
        try requireEqual(hello.suites.filter { !ModelHello.isGrease($0) }, setting.suites.map(\.rawValue), "suites")
        try requireEqual(hello.extensions.count, grease, "extensions")
        return hello
    }

    /// R7.3-2, up to Noise message 2. Nil: legal.
    private func model(_ body: [UInt8], _ offer: ModelHello.Initiator) -> LinkFailureCause.Kind? {
        guard (39...4_096).contains(body.count), let hello = try? ModelHello.Responder(body) else { return .malformed }
        let isLegal =
            hello.version == ModelHello.draft && offer.versions.contains(ModelHello.draft)
            && offer.suites.contains(hello.suite)
            && setting.suites.contains { $0.rawValue == hello.suite } && hello.extensions.isEmpty
        return isLegal ? nil : .illegalChoice
    }

    /// SPEC §7.5: its content is not checked.
    private func refusal(_ body: [UInt8]) -> LinkFailureCause.Kind {
        (3...256).contains(body.count) && (try? ModelHello.Refusal(body)) != nil ? .refused : .malformed
    }

    private func expect(_ cause: LinkFailureCause.Kind?, _ peer: inout SimulatedPeer) throws {
        try peer.failure?.requireReadable()
        try requireEqual(peer.failure?.cause.kind, cause, "what the initiator's app is told")
        try requireEqual(peer.link.stage, cause == nil ? .proof : .closed, "stage")
        try requireEqual(peer.effects.count, cause == nil ? 0 : 1, "effects")
        try require(
            peer.transmit(at: NegotiationSetting.start).isEmpty,
            "an initiator that speaks before the responder's PROOF (R9.3-1, R9.5-1)")
        try requireEqual(peer.link.deadline == nil, cause != nil, "no deadline")
    }
}
