import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerWire

/// What a step of an input does.
extension SessionWorld {
    func perform(_ step: [UInt8]) throws {
        let (action, side) = (SessionAction(step: step[0]), Int(step[0] & 1))
        let (first, second) = (step[1], step[2])
        switch action {
        case .exchange, .deliver, .deliverSome, .transmit, .transmitSmall, .flip, .drop, .duplicate, .truncate,
            .endStream, .cut:
            try performStream(action, side, first, second)
        case .tick, .beforeDeadline, .atDeadline, .lateAfterDeadline, .hours: try performTime(action, side, first)
        case .answerAll: try answerAll(first)
        case .invite: try invite(side, first, second)
        case .accept: try accept(side, first, second)
        case .decline: try decline(side, first, second)
        case .cancelInvitation: try cancelInvitation(side)
        case .judge: try judge(side, .accepted(Self.bases[Int(first) % Self.bases.count]), second)
        case .reject: try judge(side, .rejected(Self.rejections[Int(first) % Self.rejections.count]), second)
        case .send: try send(side, count: Int(first))
        case .sendLong: try send(side, count: Self.lengths[Int(first) % Self.lengths.count])
        case .offerFile: try offerFile(side, first, second)
        case .supply: try supply(side, first, second)
        case .cancelFile: try cancelFile(side, first, second)
        case .acceptFile, .refuseFile, .confirmFile: try answerFile(side, action, first, second)
        case .takeMessages, .takeBack, .openStream, .writeStream, .finishStream, .resetStream, .stopStream, .takeStream,
            .takeFile, .submitBeginning, .sendMany:
            try performAssociation(action, side, first, second)
        case .giveCode: try giveCode(side, first)
        case .answerCode: try answerCode(side, first)
        case .compareStrings: try compareStrings(side)
        case .close: try close(side)
        case .closeWithCode: try close(side, CloseCode(rawValue: Self.codes[Int(first) % Self.codes.count]))
        }
        try settle()
    }

    private func performAssociation(_ action: SessionAction, _ side: Int, _ first: UInt8, _ second: UInt8) throws {
        switch action {
        case .takeMessages: try takeMessages(side)
        case .takeBack: try takeBack(side, first)
        case .openStream: try openStream(side, first)
        case .writeStream: try writeStream(side, first, second)
        case .finishStream: try finishStream(side, second)
        case .resetStream: try resetStream(side, first, second)
        case .stopStream: try stopStream(side, first, second)
        case .takeStream: try takeStream(side, first, second)
        case .takeFile: try takeFile(side, first, second)
        case .submitBeginning: try submitBeginning(side, first, second)
        default: for _ in 0..<(Int(first) % 40) { try send(side, count: Int(second) * 32) }
        }
    }

    private static let bases: [TrustBasis] = [
        .unverified, .application, .firstUse, .trustAnchor(validFor: .seconds(3_000_000_000)),
    ]
    private static let rejections: [CertificateRejection] = [
        .missing, .expired, .unknownAuthority, .refusedByApplication, .bindingInvalid, .verdictTimeout,
    ]
    private static let lengths = [0, 1_000, 4_000, 16_000, 65_490, 65_511, 65_512, 70_000]
    private static let codes: [UInt64] = [0x00, 0x20, 0x21, 0x22, 0x3FFF, 1 << 62 - 1]

    private func performStream(_ action: SessionAction, _ side: Int, _ first: UInt8, _ second: UInt8) throws {
        let place = Int(first) << 8 | Int(second)
        switch action {
        case .deliver: try deliver(to: side)
        case .deliverSome: try deliver(to: side, place + 1)
        case .transmit: try transmit(side)
        case .transmitSmall: try transmit(side, buffer: place / 4)
        case .flip: wires[side].flip(at: place, 1 << (second & 7))
        case .drop: wires[side].drop(at: Int(first), Int(second))
        case .duplicate: wires[side].duplicate(at: Int(first), Int(second))
        case .truncate:
            wires[1 - side].truncate(to: place)
            try deliver(to: side)
            try endStream(to: side)
        case .endStream:
            // In good order: the remote peer has sent its last byte, and all of it arrives.
            guard peers[1 - side].link.isOutputFinished else { return }
            try deliver(to: side)
            try endStream(to: side)
        case .cut: for side in 0...1 { try endStream(to: side) }
        default: try exchange()
        }
    }

    private func performTime(_ action: SessionAction, _ side: Int, _ first: UInt8) throws {
        let deadline = peers[side].link.deadline ?? now
        switch action {
        case .tick: try advance(to: now.advanced(by: .milliseconds(Int(first) * Int(first))))
        case .beforeDeadline: try advance(to: Instant(nanoseconds: deadline.nanoseconds - 1))
        case .atDeadline: try advance(to: deadline)
        case .lateAfterDeadline: try advance(to: deadline.advanced(by: .nanoseconds(Int(first))), asleep: side)
        default: try advance(to: now.advanced(by: .seconds(3_600 * (1 + Int(first)))))
        }
    }

    /// Both apps say yes to all that they are asked, and supply what is wanted.
    private func answerAll(_ first: UInt8) throws {
        for side in 0...1 {
            let memory = peers[side].memory
            if !memory.invitationTokens.isEmpty, !memory.hasAnsweredInvitation, peers[side].link.stage == .invited {
                try accept(side, first, 0)
            }
            if !memory.judgementTokens.isEmpty, !memory.hasJudged { try judge(side, .accepted(.application), 0) }
            try takeMessages(side)
            // It has told the time, at which a link that drains may end its files.
            try drain(side)
            for (id, file) in memory.outgoing.sorted(by: { $0.key < $1.key }) {
                if file.wanted > 0 { try supply(side, file.wanted, id) }
                if case .checking = file.state { try submitBeginning(side, 0, id) }
            }
            for (id, file) in memory.incoming.sorted(by: { $0.key < $1.key }) {
                if file.state == .offered { try accept(side, id, holding: 0) }
                if file.state == .whole { try confirm(side, id) }
                if file.state != .offered { try takeFile(side, .max, id) }
            }
            for id in memory.streams.keys.sorted() { try takeStream(side, .max, id) }
        }
    }

    /// Whatever happened: nobody waits for ever, and a lost transport ends both.
    func finish() throws {
        for _ in 0..<8 {
            for side in 0...1 {
                if let deadline = peers[side].link.deadline { try advance(to: deadline) }
                try settle()
            }
        }
        for peer in peers {
            let isOpen = peer.link.stage == .open && !peer.memory.hasClosed
            try require(isOpen || peer.link.stage == .closed, "waits for ever in \(peer.link.stage)")
        }
        for side in 0...1 {
            try endStream(to: side)
            try transmit(side)
            try require(peers[side].link.isFinished, "not finished after the end of its transport")
        }
        try settle()
        for side in 0...1 { try checkResults(side) }
    }
}
