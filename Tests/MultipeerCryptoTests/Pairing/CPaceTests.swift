import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import Testing

@Suite("One-time codes by CPace, SPEC §25.5")
struct CPaceTests {
    private static let primitives = TestProvider.sodium.pairing
    private static let (typist, presenter) = (key(1), key(2))

    private static func key(_ byte: UInt8) -> IdentityKey {
        guard let key = try? IdentityKey(rawBytes: [UInt8](repeating: byte, count: 32)) else { fatalError("a key") }
        return key
    }

    /// What one party has.
    fileprivate struct Side {
        var code = "4-tulip-orbit"
        var sessionIdentifier = [UInt8](repeating: 7, count: 32)
        var typist = CPaceTests.typist
        var presenter = CPaceTests.presenter
        var data: [UInt8] = [0]
        var seed: UInt64 = 1

        var context: CPaceContext {
            get throws { try context(in: TestProvider.sodium.secrets) }
        }

        func context(in memory: any SecretAllocator) throws -> CPaceContext {
            CPaceContext(
                sessionIdentifier: try SharedSecret(copying: sessionIdentifier, in: memory), typist: typist,
                presenter: presenter)
        }

        func password() throws -> Secret {
            try #require(OneTimeCode(typed: code)).password(in: TestProvider.sodium.secrets)
        }

        func initiator() throws -> CPaceInitiator {
            var random: any RandomSource = SeededRandomSource(seed: seed)
            return try CPaceInitiator(
                password: try password(), context: context, associatedData: data, primitives: CPaceTests.primitives,
                random: &random)
        }

        func responder(to message: CPaceMessage) throws -> CPaceResponder {
            var random: any RandomSource = SeededRandomSource(seed: seed)
            return try CPaceResponder(
                answering: message, password: try password(), context: context, associatedData: data,
                primitives: CPaceTests.primitives, random: &random)
        }
    }

    /// Runs an attempt; `message` and `confirmation` are what becomes of what the parties send, the typist's first.
    private func attempt(
        _ typist: Side, _ presenter: Side, messages change: ([CPaceMessage]) -> [CPaceMessage] = { $0 }
    ) throws {
        let initiator = try typist.initiator()
        let responder = try presenter.responder(to: change([initiator.message])[0])
        let answer = change([initiator.message, responder.message])[1]
        let confirming = try initiator.receive(answer)
        let confirmation = try responder.confirm(confirming.confirmation)
        try confirming.finish(confirmation)
    }

    private var sides: (Side, Side) { (Side(data: [4, 0], seed: 1), Side(data: [0], seed: 2)) }

    @Test("Two peers with one code confirm to each other")
    func honest() throws {
        let (typist, presenter) = sides
        try attempt(typist, presenter)
        try attempt(Side(code: "999-acorn-acorn", seed: 3), Side(code: "999 ACORN acorn", seed: 4))
    }

    /// Everything that has to be the same for both parties, each changed for one of them.
    enum Difference: CaseIterable {
        case firstWord, secondWord, number, order, link, typist, presenter, roles

        fileprivate func change(_ side: inout Side) {
            switch self {
            case .firstWord: side.code = "4-acorn-orbit"
            case .secondWord: side.code = "4-tulip-acorn"
            case .number: side.code = "5-tulip-orbit"
            case .order: side.code = "4-orbit-tulip"
            case .link: side.sessionIdentifier[31] ^= 1
            case .typist: side.typist = CPaceTests.key(3)
            case .presenter: side.presenter = CPaceTests.key(3)
            case .roles: (side.typist, side.presenter) = (side.presenter, side.typist)
            }
        }
    }

    @Test(
        "Another code, link, key or order of roles fails for the presenter, which confirms nothing (R25.5-4)",
        arguments: Difference.allCases)
    func differs(difference: Difference) throws {
        let (typist, presenter) = sides
        var other = typist
        difference.change(&other)
        #expect(throws: CryptoFailure.authenticationFailed) { try attempt(other, presenter) }
        other = presenter
        difference.change(&other)
        #expect(throws: CryptoFailure.authenticationFailed) { try attempt(typist, other) }
    }

    @Test("A presenter that does not know the code has no confirmation for the typist (R25.5-3)")
    func impostor() throws {
        let (typist, presenter) = sides
        for guess in ["4-tulip-acorn", "4-acorn-orbit"] {
            var attacker = presenter
            attacker.code = guess
            let initiator = try typist.initiator()
            let first = initiator.message
            let confirming = try initiator.receive(try attacker.responder(to: first).message)
            // What it would send if its guess were right.
            let rehearsal = try attackerConfirmation(attacker, to: first)
            let ofConfirming = failure(of: confirming, rehearsal)
            #expect(ofConfirming == .authenticationFailed)
        }
    }

    /// The presenter's confirmation by the attacker's own code, without a look at the typist's.
    private func attackerConfirmation(_ attacker: Side, to first: CPaceMessage) throws -> [UInt8] {
        var random: any RandomSource = SeededRandomSource(seed: attacker.seed)
        let group = Self.primitives.group
        let generator = try CPaceSteps.generator(try attacker.password(), try attacker.context, Self.primitives)
        let scalar = try group.makeScalar(random: &random)
        let own = CPaceMessage(
            share: try group.multiply(scalar, bySecret: generator), associatedData: attacker.data)
        let product = try group.multiply(scalar, by: first.share)
        let transcript = CPaceSteps.transcript(first, own)
        let key = try CPaceSteps.confirmationKey(
            try CPaceSteps.intermediateKey(product, try attacker.context, transcript: transcript, Self.primitives),
            try attacker.context, Self.primitives)
        return try CPaceSteps.confirmation(of: .responder, key, transcript: transcript, Self.primitives).copied()
    }

    @Test("The typist's own frames are no answer, neither share nor confirmation (R25.5-3)")
    func reflected() throws {
        let (typist, presenter) = sides
        let mirrored = try typist.initiator()
        let own = mirrored.message
        let confirming = try mirrored.receive(own)
        let confirmation = confirming.confirmation
        let ofConfirming = failure(of: confirming, confirmation)
        #expect(ofConfirming == .authenticationFailed)

        let second = try typist.initiator()
        let responder = try presenter.responder(to: second.message)
        let honest = try second.receive(responder.message)
        let sent = honest.confirmation
        let ofHonest = failure(of: honest, sent)
        #expect(ofHonest == .authenticationFailed)
    }

    @Test("Two typists do not confirm to each other, nor do two presenters (R25.5-3)")
    func sameRole() throws {
        let (one, two) = sides
        var other = two
        (other.typist, other.presenter) = (two.presenter, two.typist)
        let first = try one.initiator()
        let second = try other.initiator()
        let (firstMessage, secondMessage) = (first.message, second.message)
        let left = try first.receive(secondMessage)
        let right = try second.receive(firstMessage)
        let (fromLeft, fromRight) = (left.confirmation, right.confirmation)
        let ofLeft = failure(of: left, fromRight)
        #expect(ofLeft == .authenticationFailed)
        let ofRight = failure(of: right, fromLeft)
        #expect(ofRight == .authenticationFailed)
    }

    @Test("A changed bit of a share or its data fails", arguments: [0, 1])
    func changedMessages(index: Int) throws {
        let (typist, presenter) = sides
        #expect(throws: CryptoFailure.authenticationFailed, "data") {
            try attempt(typist, presenter) { messages in
                messages.enumerated().map { place, message in
                    place != index
                        ? message
                        : CPaceMessage(share: message.share, associatedData: message.associatedData + [0])
                }
            }
        }
        for bit in 0..<256 {
            #expect(throws: CryptoFailure.self, "bit \(bit)") {
                try attempt(typist, presenter) { messages in
                    messages.enumerated().map { place, message in
                        place != index ? message : message.flipping(bit: bit)
                    }
                }
            }
        }
    }

    @Test("Every changed bit of a confirmation fails, and so does another length, for either peer (R25.5-3)")
    func changedConfirmations() throws {
        let (typist, presenter) = sides
        for change in (0..<256).map(Change.bit) + [.length(0), .length(31), .length(33)] {
            let initiator = try typist.initiator()
            let responder = try presenter.responder(to: initiator.message)
            let confirming = try initiator.receive(responder.message)
            let wrong = change.applied(to: confirming.confirmation)
            let ofResponder = failure(of: responder, wrong)
            #expect(ofResponder == .authenticationFailed, "\(change)")
        }
        for change in (0..<256).map(Change.bit) + [.length(0), .length(31), .length(33)] {
            let initiator = try typist.initiator()
            let responder = try presenter.responder(to: initiator.message)
            let confirming = try initiator.receive(responder.message)
            let wrong = change.applied(to: try responder.confirm(confirming.confirmation))
            let ofConfirming = failure(of: confirming, wrong)
            #expect(ofConfirming == .authenticationFailed, "\(change)")
        }
    }

    /// What the typist says to a confirmation.
    private func failure(of side: consuming CPaceConfirming, _ confirmation: [UInt8]) -> CryptoFailure? {
        do throws(CryptoFailure) { try side.finish(confirmation) } catch { return error }
        return nil
    }

    /// What the presenter says to one.
    private func failure(of side: consuming CPaceResponder, _ confirmation: [UInt8]) -> CryptoFailure? {
        do throws(CryptoFailure) { _ = try side.confirm(confirmation) } catch { return error }
        return nil
    }

    private enum Change {
        case bit(Int)
        case length(Int)

        func applied(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch self {
            case .bit(let bit): bytes[bit / 8] ^= 1 << (bit % 8)
            case .length(let count): bytes = Array((bytes + [0]).prefix(count))
            }
            return bytes
        }
    }

    @Test("A share that is no element, or the identity, is refused by either peer (R25.5-2)")
    func badShares() throws {
        let (typist, presenter) = sides
        let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        var odd = try typist.initiator().message.share.rawBytes
        odd[0] |= 1
        // libsodium 1.0.18 takes it for the share without that bit.
        var high = try typist.initiator().message.share.rawBytes
        high[31] |= 0x80
        for bytes in [[UInt8](repeating: 0, count: 32), prime, [UInt8](repeating: 0xFF, count: 32), odd, high] {
            let message = CPaceMessage(share: try GroupElement(rawBytes: bytes), associatedData: [])
            #expect(throws: CryptoFailure.malformedKey) { _ = try typist.initiator().receive(message).confirmation }
            #expect(throws: CryptoFailure.malformedKey) { _ = try presenter.responder(to: message).message }
        }
        #expect(throws: CryptoFailure.malformedKey) { try GroupElement(rawBytes: [UInt8](repeating: 1, count: 31)) }
    }

    @Test("Each attempt has its own scalar, of 252 bits (R25.5-1)")
    func fresh() throws {
        var random: any RandomSource = SeededRandomSource(seed: 5)
        var shares: Set<GroupElement> = []
        for _ in 0..<8 {
            let initiator = try CPaceInitiator(
                password: try Side().password(), context: Side().context, associatedData: [],
                primitives: Self.primitives, random: &random)
            let responder = try CPaceResponder(
                answering: initiator.message, password: try Side().password(), context: Side().context,
                associatedData: [], primitives: Self.primitives, random: &random)
            shares.formUnion([initiator.message.share, responder.message.share])
        }
        #expect(shares.count == 16)
        var ones: any RandomSource = FixedRandom([UInt8](repeating: 0xFF, count: 32))
        let scalar = try Self.primitives.group.makeScalar(random: &ones)
        #expect(scalar.number.copied() == [UInt8](repeating: 0xFF, count: 31) + [0x0F])
    }

    @Test("An attempt leaves nothing in locked memory, however it ends")
    func wiped() throws {
        let sodium = try SodiumProvider()
        let code = try #require(OneTimeCode(typed: "4-tulip-orbit"))
        for confirms in [true, false] {
            do {
                var random: any RandomSource = SeededRandomSource(seed: 6)
                let memory = sodium.secrets
                let context = try Side().context(in: memory)
                let initiator = try CPaceInitiator(
                    password: try code.password(in: memory), context: context, associatedData: [],
                    primitives: sodium.pairing, random: &random)
                #expect(memory.usage.usedSlots == 2, "sid and y alone")
                let responder = try CPaceResponder(
                    answering: initiator.message, password: try code.password(in: memory), context: context,
                    associatedData: [], primitives: sodium.pairing, random: &random)
                #expect(memory.usage.usedSlots == 4, "and both confirmations: y, K, ISK and the code are gone")
                let confirming = try initiator.receive(responder.message)
                #expect(memory.usage.usedSlots == 5)
                let confirmation = confirming.confirmation
                if confirms {
                    let answer = try responder.confirm(confirmation)
                    try confirming.finish(answer)
                }
            }
            #expect(sodium.secrets.usage.usedSlots == 0)
            #expect(sodium.secrets.freeSlotsAreZero)
        }
    }
}

extension CPaceMessage {
    /// With one bit of the share changed.
    fileprivate func flipping(bit: Int) -> CPaceMessage {
        var bytes = share.rawBytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        guard let share = try? GroupElement(rawBytes: bytes) else { return self }
        return CPaceMessage(share: share, associatedData: associatedData)
    }
}
