import MultipeerScriptedPeer
import MultipeerWire

/// Datagrams. Only an encrypted link with a peer that lists the feature has them.
enum Section26 {
    static let cases: [ConformanceCase] = frames + paths

    // MARK: Frames

    private static func refused(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode, tester: StreamRole? = nil,
        listing features: [Feature] = [.datagrams], _ port: @escaping @Sendable (StreamRole) -> UInt16
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream",
            tester: tester
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.features = features.map(\.rawValue)
            try play.reach(.open)
            try play.requireDatagrams()
            try play.peer.send(WireBytes.datagrams(port: port(play.role)))
            return try play.expectClose(code, forbidding: [.datagrams])
        }
    }

    /// The port that a peer of this role names.
    private static let port: @Sendable (StreamRole) -> UInt16 = { $0 == .responder ? 50_000 : 0 }

    private static let frames: [ConformanceCase] = [
        refused(
            "26.2-not-listed", "DATAGRAMS of a tester that lists no feature", "R26.2-1", .unexpectedFrame, listing: [],
            port),
        refused(
            "26.2-initiators-port", "An initiator's DATAGRAMS names a port", "R26.2-2", .malformed, tester: .initiator
        ) { _ in 50_000 },
        refused("26.2-no-port", "A responder's DATAGRAMS names none", "R26.2-2", .malformed, tester: .responder) { _ in
            0
        },
        ConformanceCase(
            "26.2-twice", "DATAGRAMS twice", "R26.2-1", expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try DatagramPlay(play)
            try play.peer.send(WireBytes.datagrams(port: port(play.role)))
            return try play.expectClose(.unexpectedFrame)
        },
    ]

    // MARK: Paths

    private static func path(
        _ id: String, _ title: String, _ requirements: String, expects expectation: String,
        _ script: @escaping @Sendable (inout DatagramPlay) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(id, title, requirements, expects: expectation) {
            (play: Play) throws(Interruption) -> Evidence in
            var datagrams = try DatagramPlay(play)
            return try script(&datagrams).and(try play.expectAlive())
        }
    }

    /// A packet that must be dropped, and a probe after it that is answered: packets do not overtake each other on a way so short.
    private static func dropped(
        _ id: String, _ title: String, _ requirements: String,
        _ packet: @escaping @Sendable (inout DatagramPlay) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        path(id, title, requirements, expects: "an answer to the tester's next probe, and none to this one") {
            (datagrams: inout DatagramPlay) throws(Interruption) in
            let bytes = try packet(&datagrams)
            try datagrams.send(bytes, note: "a packet to drop")
            try datagrams.sendProbe(asks: 2)
            return try datagrams.awaitAnswer(to: 2, never: [1])
        }
    }

    private static let asks = DatagramProbe(challenge: 1, answered: 0).bytes

    private static let paths: [ConformanceCase] = [
        path(
            "26.5-answered", "A probe that asks, and another one", "R26.5-3",
            expects: "a probe with the same 8 bytes in answered, for each"
        ) { (datagrams: inout DatagramPlay) throws(Interruption) in
            try datagrams.sendProbe(asks: 1)
            let first = try datagrams.awaitAnswer(to: 1)
            try datagrams.sendProbe(asks: 2)
            return first.and(try datagrams.awaitAnswer(to: 2, never: [1]))
        },
        path(
            "26.5-asked", "A probe that asks, where the peer's own path does not hold", "R26.5-3",
            expects: "a probe of the peer that asks"
        ) { (datagrams: inout DatagramPlay) throws(Interruption) in
            try datagrams.sendProbe(asks: 1)
            while true {
                guard let probe = try datagrams.next(awaiting: "probe that asks").probe else { continue }
                if probe.challenge != 0 { return Evidence("a probe that asks") }
            }
        },
        dropped("26.4-forged", "A probe with a changed tag", "R26.4-3") { (datagrams) throws(Interruption) in
            var packet = try datagrams.packet(.probe, asks)
            packet[packet.count - 1] ^= 1
            return packet
        },
        dropped("26.4-longer", "A probe with a byte more", "R26.4-1") { (datagrams) throws(Interruption) in
            try datagrams.packet(.probe, asks + [0])
        },
        dropped("26.4-not-zero", "A probe with something in its zeros", "R26.4-3") { (datagrams) throws(Interruption) in
            try datagrams.packet(.probe, asks.dropLast() + [1])
        },
        dropped("26.4-far", "A probe with a counter of 65,536 before any has verified", "R26.4-2") {
            (datagrams) throws(Interruption) in
            datagrams.counter = 65_536
            defer { datagrams.counter = 0 }
            return try datagrams.packet(.probe, asks)
        },
        path(
            "26.4-twice", "A copy of a probe that was answered", "R26.4-2",
            expects: "an answer to the tester's next probe, and no second one to this"
        ) { (datagrams: inout DatagramPlay) throws(Interruption) in
            let packet = try datagrams.packet(.probe, asks)
            try datagrams.send(packet, note: "a probe that asks 1")
            _ = try datagrams.awaitAnswer(to: 1)
            try datagrams.send(packet, note: "the same once more")
            try datagrams.sendProbe(asks: 2)
            return try datagrams.awaitAnswer(to: 2, never: [1])
        },
        path(
            "26.5-many", "Forty probes at once, and a message", "R26.5-3",
            expects: "a report of the message, and before it no more answers than eight in a second"
        ) { (datagrams: inout DatagramPlay) throws(Interruption) in
            for challenge in 1...40 as ClosedRange<UInt64> { try datagrams.sendProbe(asks: challenge) }
            try datagrams.sendMessage([1])
            var answers = 0
            while true {
                let datagram = try datagrams.next(awaiting: "report")
                if datagram.probe?.answered ?? 0 != 0 { answers += 1 }
                guard datagram.report != nil else { continue }
                // A peer that takes seconds for it may answer eight in each.
                guard answers < 40 else { throw .failed("the peer has answered all forty probes") }
                return Evidence("\(answers) answers, and a report")
            }
        },
        path(
            "26.7-report", "Three messages, of which one is lost", "R26.7-1",
            expects: "a report with the greatest counter, and with how many packets have come"
        ) { (datagrams: inout DatagramPlay) throws(Interruption) in
            try datagrams.sendProbe(asks: 1)
            _ = try datagrams.awaitAnswer(to: 1)
            // An answer of the tester's may go meanwhile, and counts as any packet.
            try datagrams.sendMessage([1])
            _ = try datagrams.packet(.message, [2])
            try datagrams.sendMessage([3])
            let last = datagrams.counter - 1
            let report = try datagrams.awaitReport(of: last)
            guard report.received == report.greatest else {
                throw .failed("the report says \(report.received) of \(report.greatest + 1), and one was lost")
            }
            return Evidence("a report of \(report.received) packets up to \(report.greatest)")
        },
    ]
}
