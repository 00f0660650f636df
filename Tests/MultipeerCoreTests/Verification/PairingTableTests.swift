import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

/// SPEC §25.7 as data, beside `TransitionTable`: what peers may send that list the feature. What is not here is
/// `unexpected_frame`.
enum PairingTable {
    /// Where an attempt can be.
    enum Place: CaseIterable {
        /// The honest peer has sent CODE_BEGIN.
        case begun
        /// So has the peer, and the honest peer's wins.
        case begunIgnoringCode
        /// The peer's INVITE has crossed.
        case begunIgnoringInvite
        /// The honest peer has sent CODE_CONFIRM.
        case confirming
        /// The honest peer has sent CODE_ANSWER.
        case answered
        /// The honest peer's own attempt was void, and it has sent CODE_ANSWER.
        case answeredInstead
        /// The code was right.
        case verified
    }

    /// The frames that a place allows, CLOSE, PADDING and short strings apart.
    static func allowed(_ place: Place) -> Set<FrameType> {
        switch place {
        case .begun: [.codeAnswer, .codeBegin, .invite]
        case .begunIgnoringCode: [.codeAnswer, .invite]
        case .begunIgnoringInvite: [.cancel]
        case .confirming, .answered, .answeredInstead: [.codeConfirm]
        case .verified: [.invite]
        }
    }

    static func duel(_ place: Place, honest role: LinkRole) throws -> Duel {
        let duel = try Pairings.duel(honest: role, isLesser: place != .answeredInstead)
        switch place {
        case .begun: try duel.give()
        case .begunIgnoringCode:
            try duel.give()
            _ = try duel.typeCode()
        case .begunIgnoringInvite:
            try duel.give()
            try duel.evil.send(duel.evil.invitation())
        case .confirming:
            try duel.give()
            _ = try duel.answerCode()
        case .answered, .answeredInstead:
            if place == .answeredInstead { try duel.give(Pairings.other) }
            _ = try duel.typeCode()
            try duel.exchange()
            try duel.present()
        case .verified:
            let typist = try duel.typeCode()
            try duel.exchange()
            try duel.present()
            let confirming = try typist.receive(try #require(duel.answer))
            try duel.evil.send(CodeConfirm(confirmation: confirming.confirmation))
        }
        try duel.exchange()
        #expect(duel.stage == (place == .verified ? .identified : .pairing), "\(place)")
        return duel
    }
}

@Suite("State machine with the feature verification, SPEC §25.6, §25.7")
struct PairingTableTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// The frame of short strings that a peer takes which has not begun.
    static func string(_ role: LinkRole) -> FrameType { role == .initiator ? .stringAsk : .stringCommit }

    @Test(
        "Every frame at every step of an attempt behaves as in the table, R25.7-1", arguments: roles,
        PairingTable.Place.allCases)
    func everyPair(role: LinkRole, place: PairingTable.Place) throws {
        // These peers do not list datagrams.
        for type in FrameType.allCases where type != .close && type != .datagrams {
            let duel = try PairingTable.duel(place, honest: role)
            let (stage, count) = (duel.stage, duel.effects.count)
            try Duels.poke(duel, try TransitionTableTests.sound(type, by: duel.evil))
            if type == .padding {
                #expect(duel.stage == stage && duel.effects.count == count)
            } else if type == Self.string(role) {
                #expect(duel.stage == stage && duel.told.last == .comparisonWanted)
            } else if PairingTable.allowed(place).contains(type)
                || place == .verified && type == .resume && role == .responder
            {
                // What such a frame says may still be wrong.
                #expect(duel.evil.closeCode != .unexpectedFrame, "\(role) \(place) \(type)")
            } else {
                #expect(duel.failure == LinkFailure(stage: stage, cause: unexpected(type)), "\(role) \(place) \(type)")
                #expect(duel.evil.closeCode == .unexpectedFrame, "\(role) \(place) \(type)")
                expectSoundEnd(duel)
            }
        }
    }

    @Test("CLOSE at every step closes the link with the peer's code", arguments: roles, PairingTable.Place.allCases)
    func close(role: LinkRole, place: PairingTable.Place) throws {
        let duel = try PairingTable.duel(place, honest: role)
        let stage = duel.stage
        try Duels.poke(duel, Close(code: .shuttingDown).encoded())
        #expect(duel.failure == LinkFailure(stage: stage, cause: .peerClosed(.shuttingDown)))
        #expect(duel.isFinished)
        expectSoundEnd(duel)
    }

    @Test(
        "Frames of the feature in the states of SPEC §17: codes in identified, strings from then on, R25.6-3, R25.7-1",
        arguments: roles, TransitionTableTests.places)
    func otherStates(role: LinkRole, place: Duel.Place) throws {
        for type in FrameType.allCases where type.feature == .verification {
            let (lesser, greater) = try Peers.seedsByKey()
            let duel = try Duels.make(honest: role, honestSeed: lesser, evilSeed: greater)
            duel.evil.features = [1]
            try duel.reach(place)
            let (stage, count) = (duel.stage, duel.effects.count)
            try Duels.poke(duel, try TransitionTableTests.sound(type, by: duel.evil))
            let label = Comment(rawValue: "\(role) \(place) \(type)")
            switch (place, type) {
            case (.closingSession, _), (.closingFailed, _), (.closed, _):
                #expect(duel.stage == stage && duel.effects.count == count, label)
            case (.identified, .codeBegin): #expect(duel.stage == .pairing && duel.codeToken != nil, label)
            case (.inviting, .codeBegin):
                #expect(duel.evil.closeCode == .codeUnavailable, label)
            case (.proof, _), (.info, _):
                #expect(duel.failure == LinkFailure(stage: stage, cause: unexpected(type)), label)
            case (_, Self.string(role)):
                #expect(duel.stage == stage && duel.told == [.comparisonWanted], label)
            default:
                #expect(duel.failure == LinkFailure(stage: stage, cause: unexpected(type)), label)
                #expect(duel.evil.closeCode == .unexpectedFrame, label)
            }
        }
    }

    @Test("The tables of the specification name these frames as inputs of pairing")
    func tableOfSpecification() throws {
        let written = try SpecificationTable.pairingInputs()
        let known = PairingTable.Place.allCases.filter { $0 != .verified }.map(PairingTable.allowed)
        #expect(written == known.reduce(into: Set<FrameType>()) { $0.formUnion($1) })
    }
}

extension SpecificationTable {
    /// The frames that the rows of *pairing* name as inputs in SPEC §25.7.
    static func pairingInputs() throws -> Set<FrameType> {
        let section = try #require(try Specification.section("25.7")).components(separatedBy: "\n- [R25.7-1]")[0]
        let names: [String: FrameType] = [
            "CODE_BEGIN": .codeBegin, "CODE_ANSWER": .codeAnswer, "CODE_CONFIRM": .codeConfirm, "INVITE": .invite,
            "CANCEL": .cancel,
        ]
        var inputs: Set<FrameType> = []
        var isPairing = false
        for line in section.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if !cells[1].isEmpty { isPairing = cells[1].hasPrefix("pairing") }
            // "CANCEL behind that INVITE", "INVITE before CODE_ANSWER": the first word is the frame.
            guard isPairing, let first = cells[2].split(whereSeparator: { $0 == " " || $0 == "," }).first else {
                continue
            }
            if let type = names[String(first)] { inputs.insert(type) }
        }
        return inputs
    }
}
