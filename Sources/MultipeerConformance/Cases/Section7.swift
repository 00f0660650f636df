import MultipeerScriptedPeer
import MultipeerWire

/// Versions, suites, extensions, GREASE.
enum Section7 {
    static let cases: [ConformanceCase] = badHellos + ignoring + choosing + refusing + initiators + refused + hybrid

    private static let current = ProtocolVersion.draft04.rawValue

    private static func lists(
        _ versions: [UInt8], _ suites: [UInt8] = WireBytes.values([1]), _ extensions: [UInt8] = WireBytes.extensions([])
    ) -> ScriptedPeer.Offer {
        ScriptedPeer.Offer(lists: versions + suites + extensions)
    }

    // MARK: Malformed hellos

    private static let badHellos: [ConformanceCase] = [
        .badHello("7.1-version-twice", "A version stands twice", "R7.1-1", .init(versions: [current, current])),
        .badHello(
            "7.1-grease-twice", "A GREASE version stands twice", "R7.1-1", .init(versions: [0x1A1A, current, 0x1A1A])),
        .badHello("7.1-suite-twice", "A suite stands twice", "R7.1-1", .init(suites: [1, 2, 1])),
        .badHello(
            "7.1-extension-twice", "An extension stands twice", "R7.1-2",
            .init(extensions: [(0x4F01, []), (0x4F01, [])])),
        .badHello(
            "7.1-extensions-descending", "Extensions stand out of order", "R7.1-2",
            .init(extensions: [(0x4F02, []), (0x4F01, [])])),
        .badHello("7.1-no-versions", "No version is offered", "R3.3-1", .init(versions: [])),
        .badHello("7.1-no-suites", "No suite is offered", "R3.3-1", .init(suites: [])),
        .badHello(
            "7.1-too-many-versions", "33 versions are offered", "R3.3-1",
            .init(versions: [current] + (0..<32).map { 0x4F00 + $0 })),
        .badHello(
            "7.1-too-many-suites", "33 suites are offered", "R3.3-1", .init(suites: [1] + (0..<32).map { 0x4F00 + $0 })),
        .badHello("7.1-odd-versions", "The versions end within a value", "R3.3-1", lists(WireBytes.vector([0, 1, 0]))),
        .badHello(
            "7.1-extension-too-long", "An extension has 2,049 bytes", "R3.3-1",
            .init(extensions: [(0x4F01, [UInt8](repeating: 0, count: 2_049))])),
        .badHello(
            "7.1-extensions-too-long", "The extensions have more than 3,072 bytes", "R3.3-1",
            .init(extensions: [
                (0x4F01, [UInt8](repeating: 0, count: 2_048)), (0x4F02, [UInt8](repeating: 0, count: 1_024)),
            ])),
        .badHello(
            "7.1-truncated-extension", "An extension claims more than the list holds", "R3.3-1",
            lists(WireBytes.values([current]), WireBytes.values([1]), WireBytes.vector([0x4F, 0x01, 5, 1]))),
        .badHello(
            "7.1-long-count", "The versions' count is longer than it needs to be", "R3.2-1", lists([0x40, 2, 0, 1])),
        .badHello("7.1-trailing-byte", "A byte stands behind the ephemeral key", "R3.3-2", .init(rest: [0])),
    ]

    // MARK: What a responder ignores

    private static let unknown: [UInt16] = [0x0A0A, 0xFAFA, 0x0000, 0x4F01, 0xFF00, 0xFEFF]

    private static func ignores(_ id: String, _ title: String, _ offer: ScriptedPeer.Offer) -> ConformanceCase {
        ConformanceCase(
            id, title, "R7.1-3 R7.4-2", expects: "version 0xff04 and suite 0x0001 are chosen, and a session opens",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.offer = offer
            let came = try play.mustReach(.open)
            return came.and(try play.expectAlive())
        }
    }

    private static let ignoring: [ConformanceCase] = [
        ignores(
            "7.1-unknown-versions", "Unknown, reserved and GREASE versions come first",
            .init(versions: unknown + [0x0001, 0xFF01, current])),
        ignores("7.1-unknown-suites", "Unknown, reserved and GREASE suites come first", .init(suites: unknown + [1])),
        ignores(
            "7.1-unknown-extensions", "Unknown, reserved and GREASE extensions are offered",
            .init(extensions: [
                (0x0000, [1]), (0x0002, [2, 3]), (0x1A1A, []), (0x4F01, [UInt8](repeating: 4, count: 2_048)),
            ])),
        ignores(
            "7.1-longest-lists", "32 versions and 32 suites are offered, the known ones last",
            .init(
                versions: (0..<31).map { 0x4F00 + $0 } + [current], suites: (0..<31).map { 0x4F00 + $0 } + [1])),
    ]

    // MARK: What a responder chooses

    private static let choosing: [ConformanceCase] = [
        ConformanceCase(
            "7.3-first-suite", "Both suites are offered, in either order", "R7.3-1",
            expects: "the first one is chosen each time", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.offer.suites = [0x0002]
            if try play.refusesSuite() { throw .skipped("the peer has one suite only") }
            for suites: [UInt16] in [[1, 2], [2, 1], [0x2A2A, 2, 1]] {
                play.terms.offer.suites = suites
                try play.advance(to: .channel)
                let wanted = suites.first { $0 < 3 }
                guard play.peer.suite?.rawValue == wanted else {
                    throw .failed("of \(FrameText.list(suites)) the peer did not choose the first that it has")
                }
                try play.reconnect()
            }
            return Evidence("the first suite was chosen three times")
        },
        ConformanceCase(
            "7.3-own-hello", "The responder's hello", "R7.3-1 R3.3-2",
            expects: "version, suite, no extension that was not offered, a fresh key, a confirmation that verifies",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.advance(to: .channel)
            guard let first = play.peer.peerHello, let hello = try? ResponderHello(body: first.span),
                hello.extensions.isEmpty
            else {
                throw .failed("the hello has extensions, and none was offered")
            }
            try play.reconnect()
            try play.advance(to: .channel)
            guard play.peer.peerHello?.suffix(48).prefix(32) != first.suffix(48).prefix(32) else {
                throw .failed("two links have the same ephemeral key")
            }
            return Evidence("two good hellos with two ephemeral keys")
        },
    ]

    // MARK: Refusals of a responder

    private static func refuses(
        _ id: String, _ title: String, _ code: Refusal.Code, _ offer: ScriptedPeer.Offer
    ) -> ConformanceCase {
        let isVersion = code == .unsupportedVersion
        return ConformanceCase(
            id, title, "R7.3-3 R7.4-2 R7.5-1 R7.5-4",
            expects:
                "REFUSAL \(isVersion ? "unsupported_version" : "unsupported_suite") with what the peer has, no GREASE "
                + "among it, then the end of the stream", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.peer.sendHello(offer)
            let refusal = try play.expectRefusal(code)
            let (full, empty) = isVersion ? (refusal.versions, refusal.suites) : (refusal.suites, refusal.versions)
            guard full.contains(isVersion ? current : 1), empty.isEmpty, !full.contains(where: Grease.contains) else {
                throw .failed(
                    "REFUSAL lists versions \(FrameText.list(refusal.versions)), suites "
                        + FrameText.list(refusal.suites))
            }
            return Evidence("REFUSAL \(code.rawValue), then the end of the stream")
        }
    }

    private static let refusing: [ConformanceCase] = [
        refuses(
            "7.3-no-common-version", "Only unknown versions are offered", .unsupportedVersion, .init(versions: [0x4F01])
        ),
        refuses("7.3-no-common-suite", "Only unknown suites are offered", .unsupportedSuite, .init(suites: [0x4F01])),
        refuses(
            "7.3-neither", "Neither a known version nor a known suite is offered: the version comes first",
            .unsupportedVersion, .init(versions: [0x4F01], suites: [0x4F01])),
        refuses(
            "7.4-only-grease-versions", "Only GREASE versions are offered", .unsupportedVersion,
            .init(versions: [0x0A0A, 0x5A5A])),
        refuses(
            "7.4-only-grease-suites", "Only GREASE suites are offered", .unsupportedSuite,
            .init(suites: [0x3A3A, 0xEAEA])),
        refuses(
            "1-final-version", "Only the final version 1 is offered, which no draft speaks", .unsupportedVersion,
            .init(versions: [0x0001])),
        refuses("7.2-reserved-version", "Only version 0 is offered", .unsupportedVersion, .init(versions: [0x0000])),
        refuses("7.2-reserved-suite", "Only suite 0 is offered", .unsupportedSuite, .init(suites: [0x0000])),
    ]

    // MARK: Initiators

    private static let initiators: [ConformanceCase] = [
        ConformanceCase(
            "7.1-own-hello", "The initiator's hello", "R1-1 R7.1-1 R7.1-2 R7.2-1",
            expects:
                "no value twice, extensions in order, version 0xff04 and suite 0x0001 among the offers, none reserved",
            tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            let hello = try play.awaitHello()
            guard hello.versions.contains(current), hello.suites.contains(1), !hello.versions.contains(1) else {
                throw .failed("version 0xff04 or suite 0x0001 is not offered, or the final version is")
            }
            guard !hello.versions.contains(0), !hello.suites.contains(0),
                !hello.extensions.contains(where: { $0.type == 0 })
            else { throw .failed("a reserved value is offered") }
            return Evidence(
                "versions \(FrameText.list(hello.versions)), suites \(FrameText.list(hello.suites)) in good order"
            )
        },
        ConformanceCase(
            "7.4-offers-grease", "The initiator offers GREASE", "R7.4-1", level: .should,
            expects: "a GREASE value among versions, suites and extensions", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            let hello = try play.awaitHello()
            guard hello.versions.contains(where: Grease.contains), hello.suites.contains(where: Grease.contains),
                hello.extensions.contains(where: { Grease.contains($0.type) })
            else { throw .failed("one of the three has no GREASE value") }
            return Evidence("GREASE in versions, suites and extensions")
        },
        .badAnswer("7.3-unoffered-version", "A version is chosen that was not offered", "R7.3-2") { _ in
            .init(version: 0x4F01)
        },
        .badAnswer("7.3-final-version", "The final version 1 is chosen, which was not offered", "R1-1 R7.3-2") { _ in
            .init(version: 0x0001)
        },
        .badAnswer("7.3-unoffered-suite", "A suite is chosen that was not offered", "R7.3-2") { _ in
            .init(suite: 0x4F01)
        },
        .badAnswer("7.3-reserved-suite", "Suite 0 is chosen", "R7.3-2") { _ in .init(suite: 0) },
        .badAnswer("7.3-grease-version", "The GREASE version is chosen that was offered", "R7.3-2 R7.4-2") {
            (hello) throws(Interruption) in
            .init(version: try greased(hello.versions))
        },
        .badAnswer("7.3-grease-suite", "The GREASE suite is chosen that was offered", "R7.3-2 R7.4-2") {
            (hello) throws(Interruption) in
            .init(suite: try greased(hello.suites))
        },
        .badAnswer("7.3-grease-extension", "The GREASE extension is answered that was offered", "R7.3-2") {
            (hello) throws(Interruption) in
            .init(extensions: [(try greased(hello.extensions.map(\.type)), [])])
        },
        .badAnswer("7.3-unoffered-extension", "An extension is answered that was not offered", "R7.3-2") { _ in
            .init(extensions: [(0x4F01, [1])])
        },
        .badAnswer("7.3-extensions-descending", "Answered extensions stand out of order", "R7.1-2") { _ in
            .init(extensions: [(0x4F02, []), (0x4F01, [])])
        },
        .badAnswer("7.3-trailing-byte", "A byte stands behind the confirmation", "R3.3-2") { _ in .init(rest: [0]) },
    ]

    private static func greased(_ values: [UInt16]) throws(Interruption) -> UInt16 {
        guard let value = values.first(where: Grease.contains) else { throw .skipped("the peer offers no GREASE") }
        return value
    }

    // MARK: Refused initiators

    private static func isRefused(_ id: String, _ title: String, _ requirements: String, _ body: [UInt8])
        -> ConformanceCase
    {
        ConformanceCase(
            id, title, requirements, expects: "the end of the stream, and nothing before it", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try play.awaitHello()
            try play.peer.sendRaw(WireBytes.opening(0x02, body), note: "magic, REFUSAL (code \(body[0]))")
            return try play.expectSilentEnd()
        }
    }

    private static let refused: [ConformanceCase] = [
        isRefused("7.5-refused-busy", "REFUSAL busy", "R7.5-1", [3] + WireBytes.values([]) + WireBytes.values([])),
        isRefused(
            "7.5-refused-suite", "REFUSAL that lists another suite is no reason to try it", "R7.5-2",
            [2] + WireBytes.values([]) + WireBytes.values([0x4F01])),
        isRefused(
            "7.5-unknown-code", "REFUSAL of an unknown code", "R7.5-3",
            [200] + WireBytes.values([]) + WireBytes.values([])),
        isRefused(
            "7.5-unchecked", "REFUSAL whose lists do not go with its code", "R7.5-3",
            [3] + WireBytes.values([0x0A0A]) + WireBytes.values([1, 1])),
        ConformanceCase(
            "7.5-hello-after-refusal", "A good HELLO behind REFUSAL", "R7.5-1 R7.5-2",
            expects: "the end of the stream, and nothing before it", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try play.awaitHello()
            let refusal = Magic.bytes + WireBytes.header(0x02, 3) + [3, 0, 0]
            try play.peer.sendRaw(refusal, note: "magic, REFUSAL (code 3)")
            try play.peer.sendAnswer(ScriptedPeer.Answer(omitsMagic: true))
            try play.peer.sendProof()
            return try play.expectSilentEnd()
        },
    ]
}
