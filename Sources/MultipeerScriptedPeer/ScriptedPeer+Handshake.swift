import MultipeerCrypto
public import MultipeerWire

/// Hellos and keys (SPEC §7, §9).
extension ScriptedPeer {
    /// The lists of an initiator's hello, legal or not.
    public struct Offer: Sendable {
        public var versions: [UInt16]
        public var suites: [UInt16]
        /// Besides that of a hybrid suite, which comes first.
        public var extensions: [(UInt16, [UInt8])]
        /// The encapsulation key in place of the right one; `.some(nil)` for none.
        public var share: [UInt8]??
        /// In place of the three lists, for what no list can say.
        public var lists: [UInt8]?
        /// After the ephemeral key.
        public var rest: [UInt8]

        public init(
            versions: [UInt16] = [ProtocolVersion.draft04.rawValue], suites: [UInt16] = [0x0001],
            extensions: [(UInt16, [UInt8])] = [], share: [UInt8]?? = nil,
            lists: [UInt8]? = nil, rest: [UInt8] = []
        ) {
            (self.versions, self.suites, self.extensions) = (versions, suites, extensions)
            (self.share, self.lists, self.rest) = (share, lists, rest)
        }

        var isHybrid: Bool { suites.contains { Suite(rawValue: $0)?.isHybrid ?? false } }

        func encoded(_ share: [UInt8]?) -> [UInt8] {
            let shares = share.map { [(HybridShare.type, $0)] } ?? []
            return lists
                ?? WireBytes.values(versions) + WireBytes.values(suites) + WireBytes.extensions(shares + extensions)
        }
    }

    /// What a responder's hello says, legal or not.
    public struct Answer: Sendable {
        public var version: UInt16
        public var suite: UInt16
        /// Besides that of a hybrid suite, which comes first.
        public var extensions: [(UInt16, [UInt8])]
        /// The ciphertext in place of the right one; `.some(nil)` for none.
        public var share: [UInt8]??
        /// The suite that is computed with; nil for the one that is said, or the first if nobody knows that one.
        public var actual: Suite?
        /// The AEAD of the confirmation, if it is another suite's.
        public var algorithm: Suite?
        /// A bit of the Noise message that is flipped.
        public var flippedBit: Int?
        /// After the confirmation.
        public var rest: [UInt8]
        /// Whether magic has gone out before.
        public var omitsMagic: Bool

        public init(
            version: UInt16 = ProtocolVersion.draft04.rawValue, suite: UInt16 = 0x0001,
            extensions: [(UInt16, [UInt8])] = [], share: [UInt8]?? = nil,
            actual: Suite? = nil, algorithm: Suite? = nil, flippedBit: Int? = nil, rest: [UInt8] = [],
            omitsMagic: Bool = false
        ) {
            (self.version, self.suite, self.extensions, self.actual) = (version, suite, extensions, actual)
            (self.algorithm, self.flippedBit, self.rest) = (algorithm, flippedBit, rest)
            (self.omitsMagic, self.share) = (omitsMagic, share)
        }
    }

    /// Sends magic and an initiator's hello.
    public func sendHello(_ offer: Offer = Offer()) throws(ScriptedPeerError) {
        let key = try shownKey()
        let share = if let share = offer.share { share } else { offer.isHybrid ? try encapsulationKey() : nil }
        let opening = WireBytes.opening(RecordKind.hello.rawValue, offer.encoded(share) + key + offer.rest)
        ownOpening = Array(opening.dropLast(InitiatorHello.noiseLength))
        sendRaw(opening)
    }

    /// Answers the initiator's hello, and has keys then. Whatever is said, the handshake is right for it: an initiator that
    /// overlooks a fault comes through.
    public func sendAnswer(_ answer: Answer = Answer()) throws(ScriptedPeerError) {
        guard let peerHello else { throw .noKeys }
        let suite = answer.actual ?? Suite(rawValue: answer.suite) ?? .chaChaPoly
        let made = suite.isHybrid ? try encapsulation(for: peerHello) : nil
        let shares = (answer.share ?? made?.ciphertext).map { [(HybridShare.type, $0)] } ?? []
        let lists =
            WireBytes.u16(answer.version) + WireBytes.u16(answer.suite)
            + WireBytes.extensions(shares + answer.extensions)
        let length = lists.count + ResponderHello.noiseLength + answer.rest.count
        ownOpening = Magic.bytes + WireBytes.header(RecordKind.hello.rawValue, length) + lists
        let (own, theirs) = (try shownKey(), Array(peerHello.suffix(InitiatorHello.noiseLength)))
        let outcome = try run(
            suite, algorithm: answer.algorithm, initiator: theirs, responder: own, theirs: theirs,
            encapsulated: made?.secret)
        var message = own + outcome.confirmation
        if let bit = answer.flippedBit { message[32 + bit / 8] ^= 1 << (bit % 8) }
        try begin(outcome, suite)
        sendRaw(ownOpening.dropFirst(answer.omitsMagic ? Magic.bytes.count : 0) + message + answer.rest)
    }

    /// The responder's hello is there: checks it, and makes the keys (SPEC §9.3).
    ///
    /// - Parameter suite: What to compute with, whatever the hello says.
    public func finishHandshake(with suite: Suite? = nil) throws(ScriptedPeerError) {
        guard let peerHello, let hello = try? ResponderHello(body: peerHello.span) else { throw .malformedHello }
        guard
            let suite = suite ?? (ProtocolVersion(rawValue: hello.version) == nil ? nil : Suite(rawValue: hello.suite))
        else {
            throw .unknownChoice(version: hello.version, suite: hello.suite)
        }
        let own = try shownKey()
        let outcome = try run(
            suite, initiator: own, responder: hello.ephemeral, theirs: hello.ephemeral,
            encapsulated: suite.isHybrid ? try decapsulated(hello) : nil)
        guard outcome.confirmation == hello.confirmation || overlooksConfirmation else { throw .handshakeFailed }
        try begin(outcome, suite)
    }

    private func privateKey() -> [UInt8] {
        let key = ephemeral ?? random.bytes(32)
        ephemeral = key
        return key
    }

    private func shownKey() throws(ScriptedPeerError) -> [UInt8] {
        if case .lowOrder(let key) = ephemeralKey { return key }
        let (privateKey, crypto) = (privateKey(), crypto)
        var key = try attempt { () throws(CryptoFailure) in try NoiseSteps(crypto: crypto).publicKey(of: privateKey) }
        if ephemeralKey == .highBit { key[31] |= 0x80 }
        return key
    }

    private func run(
        _ suite: Suite, algorithm: Suite? = nil, initiator: [UInt8], responder: [UInt8], theirs: [UInt8],
        encapsulated: [UInt8]?
    ) throws(ScriptedPeerError) -> NoiseSteps.Outcome {
        let steps = NoiseSteps(crypto: crypto)
        let prologue =
            role == .initiator
            ? SignedBytes.prologue(initiator: ownOpening, responder: peerOpening)
            : SignedBytes.prologue(initiator: peerOpening, responder: ownOpening)
        do throws(CryptoFailure) {
            return try steps.run(
                suite: suite, algorithm: algorithm, prologue: prologue, initiatorKey: initiator,
                responderKey: responder, shared: try shared(with: theirs), encapsulated: encapsulated)
        } catch {
            throw error == .weakPublicKey ? .handshakeFailed : .crypto(error)
        }
    }

    private func encapsulationKey() throws(ScriptedPeerError) -> [UInt8] {
        let seed = encapsulationSeed ?? random.bytes(KeyEncapsulationLength.seed)
        encapsulationSeed = seed
        let crypto = crypto
        return try attempt { () throws(CryptoFailure) in try NoiseSteps(crypto: crypto).encapsulationKey(ofSeed: seed) }
    }

    /// For the key in the initiator's hello, or for its own if there is none to which anything could be sent.
    private func encapsulation(
        for hello: [UInt8]
    ) throws(ScriptedPeerError) -> (ciphertext: [UInt8], secret: [UInt8]) {
        if let encapsulated { return encapsulated }
        let offered = (try? InitiatorHello(body: hello.span).encapsulationKey()) ?? nil
        let key = if let offered { offered } else { try encapsulationKey() }
        let crypto = crypto
        return try attempt { () throws(CryptoFailure) in try NoiseSteps(crypto: crypto).encapsulate(to: key) }
    }

    private func decapsulated(_ hello: ResponderHello) throws(ScriptedPeerError) -> [UInt8] {
        guard let ciphertext = hello.ciphertext, let seed = encapsulationSeed else { throw .handshakeFailed }
        let crypto = crypto
        return try attempt { () throws(CryptoFailure) in
            try NoiseSteps(crypto: crypto).decapsulate(ciphertext, seed: seed)
        }
    }

    private func shared(with theirs: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 32)
        if case .lowOrder = ephemeralKey { return zeros }
        do throws(CryptoFailure) {
            return try NoiseSteps(crypto: crypto).agree(privateKey(), theirs)
        } catch .weakPublicKey where takesLowOrderKeys {
            return zeros
        }
    }

    private func begin(_ outcome: NoiseSteps.Outcome, _ suite: Suite) throws(ScriptedPeerError) {
        let (own, theirs) =
            role == .initiator
            ? (outcome.initiatorKey, outcome.responderKey) : (outcome.responderKey, outcome.initiatorKey)
        let crypto = crypto
        (sending, receiving) = try attempt { () throws(CryptoFailure) in
            (
                try RecordCipher(suite: suite, key: own, crypto: crypto),
                try RecordCipher(suite: suite, key: theirs, crypto: crypto)
            )
        }
        (handshakeHash, exporterKey, self.suite) = (outcome.handshakeHash, outcome.exporterKey, suite)
    }
}
