import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

/// From the magic through READY, of both peers, in both suites.
@Suite("Tampering and truncation, SPEC §6, §7, §9, §12, §16.2")
struct TamperTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    static func pair(_ suite: Suite) throws -> TestPair { TestPair(try Peers.pair(suites: [suite])) }

    /// The bytes of both peers of an untouched run through READY.
    static func baseline(_ suite: Suite) throws -> TestPair {
        let pair = try pair(suite)
        pair.pair.run()
        try #require(pair.summaries.initiator != nil && pair.summaries.responder != nil)
        return pair
    }

    @Test(
        "A flipped bit never opens the link that sees it, and both fail with typed errors",
        arguments: Suite.classical, roles)
    func flippedBits(suite: Suite, sender: LinkRole) throws {
        let bytes = try Self.baseline(suite).sent(by: sender)
        for part in WirePart.parts(of: bytes) {
            let isClear = part.kind == nil || part.kind == .hello
            for offset in part.offsets {
                let isHeader = part.region(offset) == .kind || part.region(offset) == .length
                for bit in isClear || isHeader ? Array(0..<8) : [offset % 8] {
                    let pair = try Self.pair(suite)
                    pair.flip(bit: bit, at: offset, of: sender)
                    pair.runToEnd()
                    let label = Comment(rawValue: "\(suite) \(sender) byte \(offset) bit \(bit)")
                    Self.expectNothingOpened(pair, sender: sender, label)
                    let seen = Flip(bytes: bytes, part: part, offset: offset, bit: bit, sender: sender)
                    Self.expectCause(pair, seen, label)
                }
            }
        }
    }

    struct Flip {
        let bytes: [UInt8]
        let part: WirePart
        let offset: Int
        let bit: Int
        let sender: LinkRole

        var newByte: UInt8 { bytes[offset] ^ 1 << bit }
        /// Where in the body of the hello the Noise message starts.
        var noiseStart: Int { part.end - (sender == .initiator ? 32 : 48) }
    }

    private static func expectNothingOpened(_ pair: TestPair, sender: LinkRole, _ label: Comment) {
        let receiver = sender.peer
        #expect(pair.summary(of: receiver) == nil, label)
        #expect(pair.failure(of: receiver) != nil && pair.failure(of: sender) != nil, label)
        for role in roles {
            for effect in pair.effects(of: role) {
                switch effect {
                case .identified(let peer):
                    let seed: UInt64 = role == .initiator ? 2 : 1
                    let key = try? Peers.key(seed)
                    #expect(peer.key == key, label)
                case .message, .incomingFile, .outgoingFile:
                    Issue.record("payload came out of a tampered handshake: \(label)")
                default: break
                }
            }
        }
    }

    private static func expectCause(_ pair: TestPair, _ flip: Flip, _ label: Comment) {
        let cause = pair.failure(of: flip.sender.peer)?.cause
        switch (flip.part.region(flip.offset), flip.part.kind) {
        case (.magic, _): #expect(cause == malformed(.valueOutOfRange, .magic), label)
        case (.kind, let kind): expectKindFault(cause, flip, kind, label)
        case (.length, .hello):
            // Shorter: the hello does not decode or what is left over is no record. Longer: the rest never comes.
            #expect(
                isOneOf(cause, [.truncated, .violation(.unexpectedRecord(.encrypted))]) || isMalformed(cause), label)
        case (.length, _):
            let ends: [LinkFailureCause] = [
                .violation(.decryptFailed), .violation(.limitExceeded), .truncated,
                malformed(.lengthOutOfRange, .recordLength),
            ]
            #expect(isOneOf(cause, ends), label)
        case (.body, .hello): expectHelloFault(pair, flip, label)
        case (.body, _): #expect(cause == .violation(.decryptFailed), label)
        }
    }

    private static func expectKindFault(
        _ cause: LinkFailureCause?, _ flip: Flip, _ kind: RecordKind?, _ label: Comment
    ) {
        guard let new = RecordKind(rawValue: flip.newByte) else {
            #expect(cause == malformed(.valueOutOfRange, .recordKind), label)
            return
        }
        if kind == .encrypted, new == .authenticated {
            #expect(cause == .violation(.wrongProtection), label)
        } else {
            #expect(cause == .violation(.unexpectedRecord(new)), label)
        }
    }

    /// Before there are keys a flip is seen where it makes nonsense, and otherwise by the confirmation (R9.3-1).
    private static func expectHelloFault(_ pair: TestPair, _ flip: Flip, _ label: Comment) {
        let initiator = pair.causes.initiator
        if flip.offset >= flip.noiseStart {
            #expect(pair.failures.initiator == LinkFailure(stage: .hello, cause: .violation(.handshakeFailed)), label)
            return
        }
        switch flip.sender {
        case .responder:
            #expect(
                isOneOf(initiator, [.violation(.illegalChoice), .violation(.handshakeFailed)])
                    || isMalformed(initiator),
                label)
        case .initiator:
            if case .incompatible(.refused) = initiator { return }
            #expect(initiator == .violation(.handshakeFailed), label)
        }
    }

    private static func isOneOf(_ cause: LinkFailureCause?, _ causes: [LinkFailureCause]) -> Bool {
        cause.map(causes.contains) ?? false
    }

    private static func isMalformed(_ cause: LinkFailureCause?) -> Bool {
        if case .malformed = cause { true } else { false }
    }

    @Test(
        "A direction that is cut anywhere is truncated for both peers",
        arguments: Suite.classical, roles)
    func prefixes(suite: Suite, sender: LinkRole) throws {
        let parts = WirePart.parts(of: try Self.baseline(suite).sent(by: sender))
        for length in parts.flatMap(\.offsets) {
            let pair = try Self.pair(suite)
            pair.keepPrefix(length, of: sender)
            pair.pair.run()
            pair.pair.cut()
            let causes = (pair.causes.initiator, pair.causes.responder)
            #expect(causes.0 == .truncated && causes.1 == .truncated, "\(suite) \(sender) \(length)")
            #expect(pair.summary(of: sender.peer) == nil, "\(suite) \(sender) \(length)")
        }
    }

    @Test("The splitting of bytes changes nothing", arguments: Suite.classical)
    func delivery(suite: Suite) throws {
        func run(_ delivery: LinkPair.Delivery) throws -> [String] {
            let pair = try Self.pair(suite)
            pair.pair.delivery = delivery
            pair.pair.run()
            try pair.pair.initiator.link.send([UInt8](repeating: 3, count: 70_000), at: pair.pair.now)
            try pair.pair.responder.link.send(Array("short".utf8), at: pair.pair.now)
            pair.pair.initiator.script.file = [UInt8](repeating: 9, count: 66_000)
            _ = try pair.pair.initiator.link.offerFile(name: "f", size: 66_000, at: pair.pair.now)
            pair.pair.run()
            pair.pair.initiator.link.close(at: pair.pair.now)
            pair.pair.run()
            return [
                "\(pair.effects(of: .initiator))", "\(pair.effects(of: .responder))",
                "\(pair.sent(by: .initiator))", "\(pair.sent(by: .responder))",
            ]
        }
        let whole = try run(.whole)
        #expect(try run(.pieces(1)) == whole)
        #expect(try run(.pieces(2)) == whole)
        #expect(try run(.pieces(65_535)) == whole)
        for seed: UInt64 in 1...5 { #expect(try run(.random(seed: seed)) == whole) }
    }

    @Test("The same seeds and inputs give the same bytes; other seeds give others", arguments: Suite.classical)
    func determinism(suite: Suite) throws {
        let (first, second) = (try Self.baseline(suite), try Self.baseline(suite))
        #expect(first.sent(by: .initiator) == second.sent(by: .initiator))
        #expect(first.sent(by: .responder) == second.sent(by: .responder))
        var configuration = try Peers.configuration("Anna", seed: 1, suites: [suite])
        configuration.sendsGrease = false
        var other = SimulatedPeer(
            link: Link(
                role: .initiator, configuration: configuration, random: SeededRandomSource(seed: 99),
                now: Instant(nanoseconds: 0)))
        #expect(other.transmit(at: Instant(nanoseconds: 0)) != Array(first.sent(by: .initiator).prefix(61)))
    }

    @Test("Magic is refused at the first byte that differs, R6.1-1")
    func magicByteByByte() throws {
        for role in Self.roles {
            for length in 0..<Magic.bytes.count {
                let duel = try Duels.make(honest: role)
                duel.evil.sendRaw(Array(Magic.bytes.prefix(length)))
                duel.honest.link.receive(duel.evil.flush().span, at: duel.now)
                #expect(duel.stage == .hello)
                duel.honest.link.receive([Magic.bytes[length] ^ 0x01].span, at: duel.now)
                duel.honest.drain(at: duel.now)
                #expect(duel.failure == LinkFailure(stage: .hello, cause: malformed(.valueOutOfRange, .magic)))
                #expect(duel.isFinished && duel.honest.transmit(at: duel.now).isEmpty)
            }
        }
    }
}
