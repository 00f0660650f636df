import MultipeerRules
import MultipeerScriptedPeer
import MultipeerWire

/// Shapes that many cases share.
extension ConformanceCase {
    /// Goes to a place, sends frames in one ENCRYPTED record, and expects CLOSE with a code.
    static func poke(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage, _ code: CloseCode,
        forbidding forbidden: Set<FrameType> = [], tester: StreamRole? = nil,
        peer invitations: PeerProfile.Invitations? = nil,
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream",
            tester: tester, peer: invitations
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            let bytes = try frames(play)
            try play.peer.send(bytes)
            return try play.expectClose(code, forbidding: forbidden)
        }
    }

    /// The same, with frames that do not depend on the play.
    static func poke(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage, _ code: CloseCode,
        forbidding forbidden: Set<FrameType> = [], tester: StreamRole? = nil,
        peer invitations: PeerProfile.Invitations? = nil, _ frames: [UInt8]
    ) -> ConformanceCase {
        poke(id, title, requirements, at: stage, code, forbidding: forbidden, tester: tester, peer: invitations) { _ in
            frames
        }
    }

    /// Goes to a place, sends frames in one ENCRYPTED record, and expects the link to continue.
    static func pass(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage, tester: StreamRole? = nil,
        peer invitations: PeerProfile.Invitations? = nil,
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "the link continues: the tester's CLOSE is answered by CLOSE no_error",
            tester: tester, peer: invitations
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            let bytes = try frames(play)
            try play.peer.send(bytes)
            return try play.expectAlive()
        }
    }

    /// The same, with frames that do not depend on the play.
    static func pass(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage, tester: StreamRole? = nil,
        peer invitations: PeerProfile.Invitations? = nil, _ frames: [UInt8]
    ) -> ConformanceCase {
        pass(id, title, requirements, at: stage, tester: tester, peer: invitations) { _ in frames }
    }

    /// Goes to a place, sends only bytes that are not a sealed record, and expects CLOSE with a code.
    static func pokeRaw(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage, _ code: CloseCode, _ bytes: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements,
            expects: "CLOSE \(FrameText.name(code)), then the end of the stream, without a byte more from the tester"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.sendRaw(
                bytes, note: "the bytes \(bytes.map { FrameText.hex(UInt64($0)) }.joined(separator: " "))")
            return try play.expectClose(code, probing: false)
        }
    }

    /// Sends a malformed hello as the initiator, after what `prepare` does.
    static func badHello(
        _ id: String, _ title: String, _ requirements: String, _ offer: ScriptedPeer.Offer,
        after prepare: @escaping @Sendable (Play) throws(Interruption) -> Void = { _ in }
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "REFUSAL malformed_hello or nothing, then the end of the stream",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            try prepare(play)
            try play.peer.sendHello(offer)
            return try play.expectHelloRefused()
        }
    }

    /// Answers the live initiator's hello in a way that makes it give up.
    static func badAnswer(
        _ id: String, _ title: String, _ requirements: String,
        _ answer: @escaping @Sendable (InitiatorHello) throws(Interruption) -> ScriptedPeer.Answer
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "the end of the stream, and nothing before it", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            let offer = try play.awaitHello()
            let chosen = try answer(offer)
            try play.peer.sendAnswer(chosen)
            // An initiator that overlooks the fault waits for this.
            try play.peer.sendProof()
            return try play.expectSilentEnd()
        }
    }
}

/// Every case, in the order of SPEC.md: those of the catalogue of rules, and those that need more than a rule says.
public enum ConformanceCases {
    public static let all: [ConformanceCase] = inOrder(catalogue + dialogues)

    private static let catalogue: [ConformanceCase] =
        ConformanceCase.playing(Catalogue.link) + ConformanceCase.playing(association: Catalogue.association)

    private static let dialogues: [ConformanceCase] =
        Section3.cases + Section4.cases + Section5.cases + Section6.cases + Section7.cases + Section8.cases
        + Section9.cases + Section10.cases + Section11.cases + Section12.cases + Section13.cases + Section14.cases
        + Section15.cases + Section16.cases + Section19.cases + Section25.cases + Section26.cases

    /// By the sections in their IDs; within one as they stand.
    private static func inOrder(_ cases: [ConformanceCase]) -> [ConformanceCase] {
        let keyed = cases.enumerated().map { index, item in
            (key: item.id.prefix { $0 != "-" }.split(separator: ".").compactMap { Int($0) } + [index], item: item)
        }
        return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.item)
    }
}
