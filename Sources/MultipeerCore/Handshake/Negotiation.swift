import MultipeerCrypto
import MultipeerWire

/// What the local peer offers and supports (SPEC §7).
struct Negotiation: Sendable {
    let versions: [ProtocolVersion]
    let suites: [Suite]

    /// What an initiator's hello offers, with GREASE where asked for (R7.4-1).
    func offer(grease: Bool, random: inout any RandomSource) -> Offer {
        var offer = Offer(versions: versions.map(\.rawValue), suites: suites.map(\.rawValue), extensions: [])
        guard grease else { return offer }
        let dice = random.bytes(5)
        offer.versions.insert(Grease.value(dice[0]), at: Int(dice[1]) % (offer.versions.count + 1))
        offer.suites.insert(Grease.value(dice[2]), at: Int(dice[3]) % (offer.suites.count + 1))
        offer.extensions.append(HelloExtension(type: Grease.value(dice[4]), data: []))
        return offer
    }

    /// What a responder chooses: the first of the initiator's that it has (R7.3-1).
    func choose(from hello: InitiatorHello) throws(HelloFault) -> HelloChoice {
        let version = hello.versions.compacted { raw in versions.first { $0.rawValue == raw } }
        guard let version else { throw .incompatible(.noCommonVersion) }
        let encapsulationKey = try encapsulationKey(of: hello)
        let suite = hello.suites.compacted { raw in suites.first { $0.rawValue == raw } }
        guard let suite else { throw .incompatible(.noCommonSuite) }
        return HelloChoice(version: version, suite: suite, encapsulationKey: suite.isHybrid ? encapsulationKey : nil)
    }

    /// A responder without hybrid suites ignores their extension (R7.1-3, R7.6-2).
    private func encapsulationKey(of hello: InitiatorHello) throws(HelloFault) -> [UInt8]? {
        guard suites.contains(where: \.isHybrid) else { return nil }
        do throws(WireError) {
            return try hello.encapsulationKey()
        } catch {
            throw .malformed(error)
        }
    }

    /// The refusal that says what is missing (SPEC §7.5).
    func refusal(for incompatibility: Incompatibility) -> Refusal {
        if case .noCommonVersion = incompatibility {
            return Refusal(code: .unsupportedVersion, versions: versions.map(\.rawValue))
        }
        return Refusal(code: .unsupportedSuite, suites: suites.map(\.rawValue))
    }
}

/// What a responder has chosen.
struct HelloChoice: Sendable {
    let version: ProtocolVersion
    let suite: Suite
    /// The initiator's key of a hybrid suite, which nobody has checked yet.
    let encapsulationKey: [UInt8]?

    /// The secret of a hybrid suite, and the ciphertext for the hello; nil for another suite.
    func encapsulate(by crypto: CryptoProvider) throws(HelloFault) -> Encapsulation? {
        guard let encapsulationKey, let encapsulation = crypto.keyEncapsulation else { return nil }
        do throws(CryptoFailure) {
            return try encapsulation.encapsulate(to: encapsulationKey)
        } catch {
            // R7.6-3
            throw error == .malformedKey ? .malformed(WireError(.valueOutOfRange, in: .extensions)) : .crypto(error)
        }
    }
}

/// Why a responder does not answer a hello that decodes with one of its own.
enum HelloFault: Error {
    case incompatible(Incompatibility)
    case malformed(WireError)
    case crypto(CryptoFailure)
}

/// The lists of an initiator's hello.
struct Offer: Sendable {
    var versions: [UInt16]
    var suites: [UInt16]
    var extensions: [HelloExtension]

    /// The suite of the responder's choice, if the choice is legal (R7.3-2).
    func check(_ hello: ResponderHello, against negotiation: Negotiation) throws(PeerViolation) -> Suite {
        guard versions.contains(hello.version), suites.contains(hello.suite),
            negotiation.versions.contains(where: { $0.rawValue == hello.version }),
            let suite = negotiation.suites.first(where: { $0.rawValue == hello.suite }),
            hello.extensions.map(\.type) == (suite.isHybrid ? [HybridShare.type] : []),
            hello.ciphertext.map({ $0.count == HybridShare.ciphertextLength }) ?? true  // R7.6-4
        else { throw .illegalChoice }
        return suite
    }
}

extension Array {
    /// The first non-nil result.
    fileprivate func compacted<Result>(_ transform: (Element) -> Result?) -> Result? {
        for element in self {
            if let result = transform(element) { return result }
        }
        return nil
    }
}

extension PeerViolation: Error {}
