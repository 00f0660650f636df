import Foundation
import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

/// SPEC §17 as data. What is not here is `unexpected_frame`, so a transition that nobody documented fails. The peer lists no
/// feature; PairingTableTests has one that does.
enum TransitionTable {
    /// What a frame leads to at a place, CLOSE and ignorable frames apart.
    static func next(_ place: Duel.Place, _ type: FrameType, as role: LinkRole) -> LinkStage? {
        switch (place, type) {
        // A link without associations to resume declines (R13.9-5). ResumeJudgementTests has others, and *resuming*.
        case (.identified, .resume), (.inviting, .resume):
            role == .responder ? .closing : nil
        case (.proof, .proof): .info
        case (.info, .peerInfo): .identified
        case (.identified, .invite): .invited
        case (.invited, .cancel), (.invitingCrossed, .cancel), (.certificatesInvitee, .cancel): .closing
        case (.inviting, .invite): .inviting
        case (.inviting, .accept), (.invitingCrossed, .accept): .certificates
        case (.inviting, .decline), (.invitingCrossed, .decline): .closing
        case (.certificatesInvitee, .certificates), (.certificatesInviter, .certificates): .certificates
        case (.certificatesAsked, .ready): .certificates
        case (.certificatesAccepted, .ready): .open
        // What else of §15 is legal depends on what came before it: FileTests, MessageTests.
        case (.open, .message), (.open, .fileOffer), (.open, .rekey): .open
        // Of §§13, 14 and 15.6 as well: MessageLinkTests, GuestTests, StreamTests.
        case (.open, .ping), (.open, .pong), (.open, .credit), (.open, .admit), (.open, .roster), (.open, .digest),
            (.open, .unite),
            (.open, .streamOpen):
            .open
        // Messages of a closed session are still delivered and acknowledged, so their rules still hold: a part of nothing is
        // an error, and so is ACK of nothing.
        case (.closingSession, .messagePart), (.closingSession, .ack): .closed
        case (.closingSession, _), (.closingFailed, _): .closing
        case (.closed, _): .closed
        default: nil
        }
    }

    static let states: [String: [Duel.Place]] = [
        "proof": [.proof], "info": [.info], "identified": [.identified], "invited": [.invited],
        "inviting": [.inviting, .invitingCrossed],
        "certificates": [
            .certificatesInvitee, .certificatesInviter, .certificatesAsked, .certificatesNoted, .certificatesAccepted,
        ],
    ]
}

@Suite("State machine, SPEC §17")
struct TransitionTableTests {
    static let places = Duel.Place.allCases.filter { $0 != .hello }

    /// A frame that is right in itself, so that only the state can be wrong with it.
    static func sound(_ type: FrameType, by evil: ScriptedPeer) throws -> [UInt8] {
        switch type {
        case .close: Close(code: .noError).encoded()
        case .padding: WireBytes.frame(.padding, [0, 1, 2])
        case .proof: try evil.proof().encoded()
        case .peerInfo: evil.peerInfo().encoded()
        case .invite:
            // One that crosses is void: the table says what follows then.
            evil.invitation(
                charter: evil.invite.isEmpty ? nil : try evil.ownCharter(winning: false, against: evil.invite),
                sessionKind: .new
            ).encoded()
        case .accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted).encoded()
        case .decline: Decline(.declined).encoded()
        case .cancel: Cancel(.cancelled).encoded()
        case .certificates: Certificates.none.encoded()
        case .ready: Ready().encoded()
        case .unite:
            Unite(
                charter: Charter(
                    founder: [UInt8](repeating: 1, count: 32), nonce: [UInt8](repeating: 1, count: 32), parameters: []),
                chain: [], admission: []
            ).encoded()
        case .enter: Enter(session: [UInt8](repeating: 1, count: 32)).encoded()
        case .rekey: Rekey().encoded()
        case .datagrams: Datagrams(port: 50_001).encoded()
        case .message: WireBytes.message(total: 2, [1, 2])
        case .messagePart: WireBytes.frame(.messagePart, [1])
        case .fileOffer: FileOffer(id: 1, size: 3, name: Array("f".utf8)).encoded()
        case .fileAccept: FileAccept(id: 0).encoded()
        case .fileCancel: FileCancel(id: 1, reason: .cancelled).encoded()
        case .fileData: WireBytes.fileData(1, offset: 0, [1])
        case .fileEnd: FileEnd(id: 1, digest: [UInt8](repeating: 0, count: 32)).encoded()
        case .fileDone: FileDone(id: 0).encoded()
        case .ping: Ping(data: [UInt8](repeating: 1, count: 8)).encoded()
        case .pong: Pong(data: [UInt8](repeating: 1, count: 8)).encoded()
        case .credit: Credit(kind: .messages, limit: 300_000).encoded()
        case .ack: Ack(count: 1).encoded()
        case .admit: try Duels.admission(by: evil).encoded()
        case .roster: RosterFrame(entries: [Duels.unsignedEntry]).encoded()
        case .digest: DigestFrame(digest: [UInt8](repeating: 1, count: 32)).encoded()
        case .summary: Summary(items: []).encoded()
        case .want: Want(members: [[UInt8](repeating: 1, count: 32)]).encoded()
        case .resume: Resume(association: [UInt8](repeating: 1, count: 16), epoch: 0, received: 0, files: []).encoded()
        case .resumed: Resumed(received: 0, files: []).encoded()
        case .streamOpen: StreamOpen(id: 1, credit: 0, name: []).encoded()
        case .streamData: WireBytes.frame(.streamData, [1, 1])
        case .streamEnd: StreamEnd(id: 1, size: 0).encoded()
        case .streamReset: StreamReset(id: 1, code: 0).encoded()
        case .streamStop: StreamStop(id: 1, code: 0).encoded()
        case .stringAsk: StringAsk().encoded()
        case .stringCommit: StringCommit(commitment: [UInt8](repeating: 1, count: 32)).encoded()
        case .stringNonce: StringNonce(nonce: [UInt8](repeating: 1, count: 32)).encoded()
        case .stringReveal: StringReveal(nonce: [UInt8](repeating: 1, count: 32)).encoded()
        case .codeBegin: CodeBegin(share: [UInt8](repeating: 1, count: 32), number: 4).encoded()
        case .codeAnswer: CodeAnswer(share: [UInt8](repeating: 1, count: 32)).encoded()
        case .codeConfirm: CodeConfirm(confirmation: [UInt8](repeating: 1, count: 32)).encoded()
        }
    }

    @Test(
        "Every pair of state and frame behaves as in the table, R6.6-1", arguments: [LinkRole.initiator, .responder],
        places)
    func everyPair(role: LinkRole, place: Duel.Place) throws {
        // These peers do not list datagrams: the vectors of session/datagrams have that frame in every state.
        for type in FrameType.allCases where type != .datagrams {
            let duel = try Duels.at(place, honest: role)
            let (before, effects) = (duel.stage, duel.effects.count)
            try Duels.poke(duel, try Self.sound(type, by: duel.evil))
            let label = Comment(rawValue: "\(role) \(place) \(type)")
            if place == .closed {
                #expect(duel.stage == .closed && duel.effects.count == effects, label)
            } else if type == .close {
                expectClosed(duel, from: before, place, label)
            } else if place == .open, type == .ack {
                // Nothing was sent that it could count (R13.6-2).
                #expect(duel.cause == malformed(.valueOutOfRange, .acknowledgedCount), label)
            } else if place == .proof, type == .padding {
                expectUnexpected(duel, type, before, label)
            } else if type == .padding {
                #expect(duel.stage == before && duel.effects.count == effects, label)
            } else if let next = TransitionTable.next(place, type, as: role) {
                #expect(duel.stage == next, label)
                #expect(duel.evil.closeCode != .unexpectedFrame, label)
                if place == .closingFailed { #expect(duel.effects.count == effects, label) }
            } else {
                expectUnexpected(duel, type, before, label)
            }
        }
    }

    private func expectUnexpected(_ duel: Duel, _ type: FrameType, _ stage: LinkStage, _ label: Comment) {
        #expect(duel.failure == LinkFailure(stage: stage, cause: unexpected(type)), label)
        #expect(duel.evil.closeCode == .unexpectedFrame, label)
        expectSoundEnd(duel)
    }

    private func expectClosed(_ duel: Duel, from stage: LinkStage, _ place: Duel.Place, _ label: Comment) {
        #expect(duel.stage == .closed, label)
        #expect(duel.isFinished, label)
        #expect(duel.evil.payloads(of: .close).count == 1, label)
        switch place {
        case .open, .closingSession: #expect(duel.end == .finished(unsentMessages: 0), label)
        case .closingFailed: #expect(duel.cause == .incompatible(.unsupportedFrame(0x3E)), label)
        default: #expect(duel.failure == LinkFailure(stage: stage, cause: .peerClosed(.noError)), label)
        }
        expectSoundEnd(duel)
    }

    @Test(
        "A session sends no field, and no frame of even type, that SPEC lacks, R3.4-4, R8.1-5",
        arguments: [LinkRole.initiator, .responder])
    func nothingElse(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.evil.frames.allSatisfy { $0.known != nil })
        for type in FrameType.allCases where ![.proof, .padding].contains(type) && type.rawValue < 0x40 {
            for payload in duel.evil.payloads(of: type) { #expect(payload.last == 0, "\(type)") }
        }
    }

    @Test("The table equals that of SPEC.md")
    func tableOfSpecification() throws {
        let rows = try SpecificationTable.inputs()
        for (state, places) in TransitionTable.states {
            let written = rows[state] ?? []
            let known = Set(
                FrameType.allCases.filter { type in
                    places.contains { TransitionTable.next($0, type, as: .responder) != nil }
                })
            #expect(written == known, "\(state)")
            #expect(!written.isEmpty, "\(state)")
        }
        #expect(
            Set(rows.keys).subtracting(["hello", "open", "closing", "resuming"]) == Set(TransitionTable.states.keys))
    }

    @Test("Unknown frames: odd are skipped, even are not, and before PROOF neither is, R6.4-1 to R6.4-3, R6.6-1")
    func unknownFrames() throws {
        for place in Self.places where place != .closed {
            for type: UInt64 in [
                0x1F, 0x3F, 0x5B, 0x4001, VarIntEdge.odd, 0x30, 0x46, 0x3E, 0x5C, 0x4000, VarIntEdge.even,
            ] {
                let duel = try Duels.at(place, honest: .responder)
                let (before, ended) = (duel.stage, duel.effects.count)
                try Duels.poke(duel, WireBytes.frame(type, [1, 2, 3]))
                if before == .closing || (type % 2 == 1 && place != .proof) {
                    #expect(duel.stage == before && duel.effects.count == ended, "\(place) \(type)")
                } else if place == .proof {
                    expectFailure(duel, .violation(.unexpectedFrame(type)), at: .proof, told: .unexpectedFrame)
                } else {
                    expectFailure(duel, .incompatible(.unsupportedFrame(type)), at: before, told: .unsupported)
                }
            }
        }
    }

    private enum VarIntEdge {
        static let odd: UInt64 = 1 << 62 - 1
        static let even: UInt64 = 1 << 62 - 2
    }

    @Test("The frames before a faulty one count, R6.3-2, R6.6-1")
    func framesBeforeFault() throws {
        let duel = try Duels.at(.open, honest: .initiator)
        let fault = WireBytes.frame(0x3E)
        try Duels.poke(duel, WireBytes.message(total: 1, [7]) + fault + WireBytes.message(total: 1, [8]))
        #expect(duel.messages == [[7]])
        expectFailure(duel, .incompatible(.unsupportedFrame(0x3E)), at: .open, told: .unsupported)
    }

    @Test("A frame that claims more than its record holds is malformed, R6.3-1", arguments: TransitionTableTests.places)
    func overlongFrame(place: Duel.Place) throws {
        guard place != .closed, place != .closingFailed else { return }
        let duel = try Duels.at(place, honest: .responder)
        let stage = duel.stage
        try Duels.poke(duel, [0x01, 0x05, 0, 0, 0, 0])
        #expect(duel.failure == LinkFailure(stage: stage, cause: malformed(.lengthOutOfRange, .framePayload)))
        expectSoundEnd(duel)
    }
}

/// The tables of the specification themselves.
enum SpecificationTable {
    /// The frames that the rows of each state name as inputs.
    static func inputs() throws -> [String: Set<FrameType>] {
        let section = try #require(try Specification.section("17"))
        var inputs: [String: Set<FrameType>] = [:]
        var state = ""
        for line in section.split(separator: "\n") where line.hasPrefix("| ") && !line.contains("state |") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if !cells[1].isEmpty { state = cells[1] }
            guard !state.hasPrefix("any") else { continue }
            let words = Set(cells[3].split(whereSeparator: { !$0.isLetter && $0 != "_" }).map(String.init))
            let frames = names.filter { words.contains($0.key) }.map(\.value)
            // "CANCEL after a void INVITE", "CANCEL, if invitee and before CERTIFICATES" name one frame and its condition.
            inputs[state, default: []].formUnion(words.contains("CANCEL") ? [.cancel] : frames)
        }
        return inputs
    }

    private static let names: [String: FrameType] = [
        "PROOF": .proof, "PEER_INFO": .peerInfo, "INVITE": .invite, "ACCEPT": .accept, "DECLINE": .decline,
        "CERTIFICATES": .certificates, "READY": .ready, "CANCEL": .cancel, "RESUME": .resume, "RESUMED": .resumed,
    ]
}
