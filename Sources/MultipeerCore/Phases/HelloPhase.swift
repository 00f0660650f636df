import MultipeerCrypto
import MultipeerWire

/// Nothing is agreed yet (SPEC §7, §9).
enum HelloPhase: ~Copyable {
    case initiator(InitiatorHelloPhase)
    case responder

    /// Takes the first record. Sends what the role sends, and returns the channel.
    consuming func receive(
        _ kind: RecordKind, body: Span<UInt8>, in context: LinkContext
    ) throws(LinkFailureCause) -> SecureChannel {
        switch consume self {
        case .initiator(let phase):
            if kind == .refusal { throw phase.refused(body) }
            return try phase.receive(body, in: context)
        case .responder:
            return try ResponderHelloPhase.receive(body, in: context)
        }
    }
}

/// An initiator that has sent its hello. The ephemeral key is the only secret.
struct InitiatorHelloPhase: ~Copyable {
    private let noise: NoiseNNInitiator
    private let offer: Offer
    private let negotiation: Negotiation
    /// Magic and HELLO record as sent.
    private let opening: [UInt8]

    /// Sends magic and HELLO.
    init(in context: LinkContext) throws(LinkFailureCause) {
        negotiation = context.negotiation
        var offer = negotiation.offer(grease: context.configuration.sendsGrease, random: &context.random)
        do {
            noise = try NoiseNNInitiator(
                crypto: context.crypto, offersHybrid: negotiation.suites.contains(where: \.isHybrid),
                random: &context.random)
        } catch {
            throw .crypto(error)
        }
        if let key = noise.encapsulationKey {
            // Below the types of GREASE.
            offer.extensions.insert(HelloExtension(type: HybridShare.type, data: key), at: 0)
        }
        self.offer = offer
        let hello = InitiatorHello(
            versions: offer.versions, suites: offer.suites, extensions: offer.extensions,
            ephemeral: noise.ephemeralKey.rawBytes)
        opening = ClearRecord.opening(.hello, body: hello.body())
        context.outbox.clear = opening
    }

    consuming func receive(
        _ body: Span<UInt8>, in context: LinkContext
    ) throws(LinkFailureCause) -> SecureChannel {
        let hello: ResponderHello
        do {
            hello = try ResponderHello(body: body)
        } catch {
            throw LinkFailureCause(error)
        }
        let suite: Suite
        do {
            suite = try offer.check(hello, against: negotiation)
        } catch {
            throw .violation(error)
        }
        let reply = ClearRecord.opening(.hello, body: [UInt8](copying: body))
        let prologue = Prologue.bytes(initiatorOpening: opening, responderOpening: reply)
        return try finish(hello, suite: suite, prologue: prologue)
    }

    /// Noise messages 1 and 2 as the initiator sees them (SPEC §9.2, §9.3).
    private consuming func finish(
        _ hello: ResponderHello, suite: Suite, prologue: [UInt8]
    ) throws(LinkFailureCause) -> SecureChannel {
        do {
            let awaiting = try noise.start(suite: suite, prologue: prologue.span)
            let message = hello.ephemeral + hello.confirmation
            var payload: [UInt8] = []
            let transport = try awaiting.read(message.span, ciphertext: hello.ciphertext, payload: &payload)
            return SecureChannel(transport, suite: suite)
        } catch {
            throw LinkFailureCause(handshake: error)
        }
    }

    /// What an unauthenticated refusal means for the app (SPEC §7.5).
    func refused(_ body: Span<UInt8>) -> LinkFailureCause {
        do {
            return .incompatible(.refused(try Refusal(body: body).code))
        } catch {
            return LinkFailureCause(error)
        }
    }
}

/// What a responder does with the initiator's hello: it has no state before.
enum ResponderHelloPhase {
    static func receive(
        _ body: Span<UInt8>, in context: LinkContext
    ) throws(LinkFailureCause) -> SecureChannel {
        if context.configuration.refusesAsBusy {
            // A busy responder spends nothing on what the hello says.
            context.refuse(Refusal(code: .busy))
            throw .incompatible(.refused(.busy))
        }
        let hello: InitiatorHello
        do {
            hello = try InitiatorHello(body: body)
        } catch {
            context.refuse(Refusal(code: .malformedHello))
            throw LinkFailureCause(error)
        }
        let received = ClearRecord.opening(.hello, body: [UInt8](copying: body))
        let choice: HelloChoice
        let encapsulation: Encapsulation?
        do {
            choice = try context.negotiation.choose(from: hello)
            encapsulation = try choice.encapsulate(by: context.crypto)
        } catch {
            throw context.refuse(because: error)
        }
        return try answer(hello, received: received, choice: choice, encapsulation, in: context)
    }

    /// Noise messages 1 and 2 as the responder sees them, and its hello.
    private static func answer(
        _ hello: InitiatorHello, received: [UInt8], choice: HelloChoice, _ encapsulation: Encapsulation?,
        in context: LinkContext
    ) throws(LinkFailureCause) -> SecureChannel {
        let shares = encapsulation.map { [HelloExtension(type: HybridShare.type, data: $0.ciphertext)] } ?? []
        // Header and prologue need no more than the length of what the Noise message will be.
        let blank = ResponderHello(
            version: choice.version.rawValue, suite: choice.suite.rawValue, extensions: shares,
            ephemeral: [UInt8](repeating: 0, count: 32), confirmation: [UInt8](repeating: 0, count: 16))
        let opening = ClearRecord.opening(.hello, body: blank.body())
        let prologue = Prologue.bytes(initiatorOpening: received, responderOpening: opening)
        do {
            let noise = try NoiseNNResponder(
                suite: choice.suite, prologue: prologue.span, crypto: context.crypto)
            var payload: [UInt8] = []
            let replying = try noise.read(hello.ephemeral.span, payload: &payload)
            var message: [UInt8] = []
            let transport = try replying.write(
                encapsulated: encapsulation?.secret, random: &context.random, into: &message)
            context.outbox.clear = opening.dropLast(ResponderHello.noiseLength) + message
            return SecureChannel(transport, suite: choice.suite)
        } catch {
            throw LinkFailureCause(handshake: error)
        }
    }
}

extension LinkContext {
    /// What the local peer offers and supports.
    var negotiation: Negotiation {
        // A hello without a value, or with one twice, is no hello; and the first suite is mandatory (R7.1-1, R7.2-1).
        // A suite that the provider lacks is neither offered nor chosen.
        let suites = configuration.suites.filter(crypto.availableSuites.contains)
        return Negotiation(
            versions: configuration.versions.isEmpty ? [.draft04] : configuration.versions.withoutRepeats,
            suites: suites.isEmpty ? [.chaChaPoly] : suites.withoutRepeats)
    }

    /// Refuses a hello that decodes. Returns why the link fails.
    func refuse(because fault: HelloFault) -> LinkFailureCause {
        switch fault {
        case .incompatible(let incompatibility):
            refuse(negotiation.refusal(for: incompatibility))
            return .incompatible(incompatibility)
        case .malformed(let error):
            refuse(Refusal(code: .malformedHello))
            return LinkFailureCause(error)
        case .crypto(let failure): return .crypto(failure)
        }
    }

    /// Sends magic and REFUSAL (SPEC §7.5).
    func refuse(_ refusal: Refusal) {
        outbox.clear = ClearRecord.opening(.refusal, body: refusal.body())
    }
}

extension Array where Element: Equatable {
    fileprivate var withoutRepeats: [Element] {
        reduce(into: []) { kept, element in
            if !kept.contains(element) { kept.append(element) }
        }
    }
}

extension LinkFailureCause {
    /// Sorts an error of the Noise handshake by blame: a tag or a key of the peer's, or the local cryptography.
    init(handshake failure: CryptoFailure) {
        switch failure {
        case .authenticationFailed, .weakPublicKey: self = .violation(.handshakeFailed)
        case .nonceExhausted, .messageTooLong, .malformedKey, .outOfSecretMemory, .unavailableSuite, .lenientSignatures,
            .backendRefused:
            self = .crypto(failure)
        }
    }
}
