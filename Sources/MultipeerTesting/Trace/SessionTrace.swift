public import MultipeerCertificates
import MultipeerCore
public import MultipeerCrypto
import MultipeerWire

/// Makes the worked trace of SPEC.md, appendix B: a whole session from fixed seeds, every byte with its name.
public struct SessionTrace {
    /// One party, with its secret.
    public struct Party: Sendable {
        let name: String
        let identity: any IdentitySigner
        let seed: [UInt8]

        /// - Parameter seed: The 32 bytes of which `identity` was made.
        public init(name: String, identity: any IdentitySigner, seed: [UInt8]) {
            self.name = name
            self.identity = identity
            self.seed = seed
        }
    }

    private let crypto: CryptoProvider
    private let initiator: Party
    private let responder: Party
    private let verifier: any BindingVerifier

    /// Joins the primitives and the two parties.
    public init(crypto: CryptoProvider, initiator: Party, responder: Party, verifier: any BindingVerifier) {
        self.crypto = crypto
        self.initiator = initiator
        self.responder = responder
        self.verifier = verifier
    }

    /// The appendix, in Markdown, at most 110 columns wide.
    public func markdown() throws -> String {
        let recorder = NoiseRecorder()
        let (first, second) = (RecordingRandomSource(seed: 1), RecordingRandomSource(seed: 2))
        var pair = try makePair(recorder, first, second)
        pair.run()
        try pair.initiator.link.send(Array("See you at noon.".utf8), at: pair.now)
        pair.run()
        pair.initiator.link.close(at: pair.now)
        pair.run()
        var text = TraceText()
        introduce(&text)
        secrets(recorder, first.log, second.log, &text)
        handshake(recorder, pair.initiator.traces, &text)
        try records(pair.initiator.traces, &text)
        try MemberTrace(
            crypto: crypto, founder: initiator, member: responder, nonce: first.log.last(of: 32)
        ).write(to: &text)
        return text.lines.joined(separator: "\n")
    }

    private func makePair(
        _ recorder: NoiseRecorder, _ first: RecordingRandomSource, _ second: RecordingRandomSource
    ) throws -> LinkPair {
        func configuration(_ party: Party, _ crypto: CryptoProvider) throws -> LinkConfiguration {
            var configuration = LinkConfiguration(
                identity: party.identity, displayName: try DisplayName(party.name), crypto: crypto,
                bindingVerifier: verifier)
            configuration.suites = [.chaChaPoly, .aesGCM]
            configuration.tracesRecords = true
            configuration.timeouts.keepAlive = nil
            // The appendix shows a session without features.
            configuration.offersVerification = false
            if party.name == initiator.name { configuration.expectedPeer = responder.identity.identityKey }
            return configuration
        }
        let start = Instant(nanoseconds: 0)
        var one = Link(
            role: .initiator, configuration: try configuration(initiator, recorder.recording(crypto)), random: first,
            now: start)
        let other = Link(
            role: .responder, configuration: try configuration(responder, crypto), random: second, now: start)
        let terms = SessionTerms(encryption: .optional)
        try one.invite(OutgoingInvitation(terms: terms, context: Array("lunch".utf8)), at: start)
        return LinkPair(
            initiator: SimulatedPeer(link: one), responder: SimulatedPeer(link: other), now: start)
    }

    private func introduce(_ text: inout TraceText) {
        text.line(
            "A session from magic to CLOSE. \(initiator.name), the initiator, expects \(responder.name), offers both")
        text.line(
            "suites and GREASE, and invites to a new session with the context \"lunch\"; \(responder.name) accepts. Both"
        )
        text.line(
            "prefer *optional* encryption and show no certificate. \(initiator.name) sends one message and closes. Numbers"
        )
        text.line(
            "at the left count bytes from the beginning of a direction, or of a record's plaintext. All values are")
        text.line("hexadecimal. Long ciphertexts and PADDING are shown by their first and last line.")
        text.line()
        text.line("This text is made by the reference implementation from fixed seeds, and a test compares it.")
    }

    private func secrets(
        _ recorder: NoiseRecorder, _ first: RecordingRandomSource.Log, _ second: RecordingRandomSource.Log,
        _ text: inout TraceText
    ) {
        text.line()
        text.line("### B.1 Secrets")
        text.line()
        text.line(
            "Ed25519 seeds with their public keys, X25519 private keys (the public ones are in the hellos), and the")
        text.line("outputs of Split(): two keys, and x for the exporter (§9.8).")
        text.line()
        text.fence()
        for (title, party) in [("initiator", initiator), ("responder", responder)] {
            text.value("\(title) seed", party.seed)
            text.value("\(title) identity", party.identity.identityKey.rawBytes)
        }
        text.value("initiator e, private", first.first(of: 32))
        text.value("responder e, private", second.first(of: 32))
        if let keys = recorder.splitKeys {
            text.value("k initiator's records", keys.initiatorToResponder)
            text.value("k responder's records", keys.responderToInitiator)
        }
        text.value("x", recorder.exporterMaterial ?? [])
        text.fence()
    }

    private func handshake(_ recorder: NoiseRecorder, _ traces: [TraceEntry], _ text: inout TraceText) {
        let clear = traces.filter { $0.kind == .hello }.map(\.wire)
        let (own, other) = (clear.first ?? [], clear.last ?? [])
        let prologue =
            Array("multipeer/1 prologue".utf8) + [0] + own.dropLast(InitiatorHello.noiseLength)
            + other.dropLast(ResponderHello.noiseLength)
        text.line()
        text.line("### B.2 Noise")
        text.line()
        text.line("The prologue of §9.1, then the symmetric state after each step: h, ck, and k once there is one.")
        text.line()
        text.fence()
        text.value("prologue", prologue)
        for snapshot in recorder.snapshots {
            text.line(snapshot.step.rawValue)
            text.value("  h", snapshot.handshakeHash)
            text.value("  ck", snapshot.chainingKey)
            if let key = snapshot.cipherKey { text.value("  k, n = \(snapshot.nonce)", key) }
        }
        text.fence()
        text.line()
        text.line("The last h is the handshake hash. What the proofs sign (§9.5):")
        text.line()
        text.fence()
        let hash = recorder.snapshots.last?.handshakeHash ?? []
        for (role, party, meant) in [(LinkRole.initiator, initiator, [responder]), (.responder, responder, [])] {
            let keys = ([party] + meant).flatMap(\.identity.identityKey.rawBytes)
            text.value("\(role) proof input", Array("multipeer/1 identity proof".utf8) + [0, role.byte] + hash + keys)
        }
        text.fence()
    }

    private func records(_ traces: [TraceEntry], _ text: inout TraceText) throws(WireError) {
        text.line()
        text.line("### B.3 Records")
        var offsets = [0, 0]
        for (index, entry) in traces.enumerated() {
            let isInitiator = entry.direction == .sent
            let direction = isInitiator ? 0 : 1
            let sender = isInitiator ? "Initiator" : "Responder"
            text.line()
            text.line(
                "**\(index + 1). \(sender), bytes \(offsets[direction]) to \(offsets[direction] + entry.wire.count - 1)**"
            )
            text.line()
            text.fence()
            if let counter = entry.counter {
                try Self.protected(entry, counter: counter, at: offsets[direction], &text)
            } else {
                try Self.hello(entry, isInitiator: isInitiator, at: offsets[direction], &text)
            }
            text.fence()
            offsets[direction] += entry.wire.count
        }
    }

    private static func hello(
        _ entry: TraceEntry, isInitiator: Bool, at offset: Int, _ text: inout TraceText
    ) throws(WireError) {
        let start = Magic.bytes.count
        let body = Array(entry.wire.dropFirst(start + RecordHeader.length))
        text.bytes(Magic.bytes, at: offset, "magic")
        header(Array(entry.wire[start...]), at: offset + start, "HELLO", &text)
        let fields =
            isInitiator
            ? try FieldVisitor.initiatorHello(body.span) : try FieldVisitor.responderHello(body.span)
        text.fields(fields, of: body, at: offset + start + RecordHeader.length)
    }

    private static func header(_ record: [UInt8], at offset: Int, _ kind: String, _ text: inout TraceText) {
        text.bytes([record[0]], at: offset, "kind: \(kind)")
        text.bytes(
            Array(record[1..<RecordHeader.length]), at: offset + 1,
            "length of body = \(record.count - RecordHeader.length)")
    }

    private static func protected(
        _ entry: TraceEntry, counter: UInt64, at offset: Int, _ text: inout TraceText
    ) throws(WireError) {
        let (wire, tag) = (entry.wire, entry.wire.count - aeadTagLength)
        header(wire, at: offset, "ENCRYPTED", &text)
        text.abbreviated(
            Array(wire[RecordHeader.length..<tag]), at: offset + RecordHeader.length, "ciphertext, n = \(counter)")
        text.bytes(Array(wire[tag...]), at: offset + tag, "tag")
        text.line()
        text.line("plaintext")
        try text.frames(entry.plaintext)
    }
}
