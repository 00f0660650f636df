import FuzzSupport
import MultipeerCore

/// Which link is attacked, and which state it is in: the first bytes of an input.
struct FramesSetting {
    let role: LinkRole
    /// Whether the honest peer's key is the lesser one, so that its invitation wins.
    let isLesser: Bool
    let invitesEarly: Bool
    let expectsPeer: Bool
    let maximumMessage: UInt32
    let pieces: Int
    let place: FramesPlace
    /// Whether the peer is asked when it says nothing (SPEC §13.7), and whether the app takes messages as they come.
    let keepsAlive: Bool
    let takesAtOnce: Bool
    /// Whether the local peer lists the feature *verification* (SPEC §25), and the remote peer that leads to the place
    /// does.
    let verifies: Bool

    static let length = 3

    init(_ choices: inout Choices) {
        let flags = choices.byte()
        role = flags & 1 == 0 ? .initiator : .responder
        isLesser = flags & 2 == 0
        invitesEarly = flags & 0x0C == 0x0C
        expectsPeer = role == .initiator && flags & 0x10 != 0
        maximumMessage = [16_777_216, 0xFFFF_FFFF, 1, 300, 70_000, 63, 65_536, 4_000][Int(flags >> 5)]
        let cut = choices.byte()
        pieces = cut < 0xC0 ? .max : Int(cut - 0xC0) + 1
        let start = choices.byte()
        (keepsAlive, takesAtOnce) = (start & 0x80 != 0, start & 0x40 == 0)
        verifies = start & 0x3F >= 42
        place = FramesPlace.allCases[Int(start & 0x3F) % FramesPlace.allCases.count]
    }
}

/// Where an attack begins: a state of SPEC §17, parted where what came before matters.
enum FramesPlace: UInt8, CaseIterable {
    case info, identified, inviting, invitingCrossed, invited
    case certificatesInvitee, certificatesInviter, certificatesAsked, certificatesAccepted
    case openEncrypted, openReadable, closingReadable, closingEncrypted, closingFailed
}

extension FramesDuel {
    /// Brings the link there, by a peer that behaves so far. The model goes along.
    func reach(_ place: FramesPlace) throws {
        guard place != .info else { return }
        let preference: UInt8 = place == .openReadable || place == .closingReadable ? 0 : 1
        try send(ModelSent(0x04, ModelSent.vector(Array("Eve".utf8)) + ModelSent.varint(70_000) + model.listed + [0]))
        guard place != .identified, model.state == .identified else { return }
        switch place {
        case .inviting, .invitingCrossed, .certificatesInviter:
            try invite(ModelTerms(preference: preference))
            if place == .invitingCrossed { try send(invite(preference)) }
            if place == .certificatesInviter { try send(ModelSent(0x08, [1, 0, 1, 0])) }
        default:
            try send(invite(preference))
            guard place != .invited else { return }
            try accept(ModelTerms(preference: preference))
            try reachOpen(place)
        }
    }

    private func reachOpen(_ place: FramesPlace) throws {
        guard place != .certificatesInvitee else { return }
        try send(ModelSent(0x0E, [0, 0, 0, 0, 0]))
        guard place != .certificatesAsked else { return }
        try judge(isAccepted: true)
        guard place != .certificatesAccepted else { return }
        try send(ModelSent(0x10, [0]))
        switch place {
        case .closingReadable, .closingEncrypted: try close()
        case .closingFailed: try send(ModelSent(0x3E, []))
        default: break
        }
    }

    private func send(_ frame: ModelSent) throws { try receive(frame.encoded, isAuthenticated: false) }

    private func invite(_ preference: UInt8) -> ModelSent {
        // The peer has founded a session that exists already: its chain is empty.
        let charter = model.peerKey + [UInt8](repeating: 7, count: 32) + [0]
        return ModelSent(0x06, charter + [0, preference, 0] + ModelSent.varint(30_000) + [0, 2, 2, 0])
    }
}
