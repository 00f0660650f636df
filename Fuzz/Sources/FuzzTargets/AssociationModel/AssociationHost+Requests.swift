import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What the app of the honest peer does. Every misuse is foreseen.
extension AssociationHost {
    func usePayload(_ action: Int, _ choices: inout Choices) throws {
        switch action {
        case 0, 1: try send(&choices)
        case 2: try takeMessages(Int(choices.byte()))
        case 3: try openStream(&choices)
        case 4: try write(&choices)
        case 5: try endStream(&choices)
        case 6: try takeOfStream(&choices)
        case 7: try offer(&choices)
        case 8: try supply(&choices)
        case 9: try cancelOwn(&choices)
        case 10: try accept(&choices)
        case 11: try refuse(&choices)
        case 12: try confirm(&choices)
        case 13: try takeOfFile(&choices)
        case 14: try submit(&choices)
        default: try takeBack(&choices)
        }
    }

    // MARK: Messages

    private func send(_ choices: inout Choices) throws {
        let byte = choices.byte()
        let count = byte < 0xC0 ? Int(byte) : [1_000, 16_384, 65_600, 200_000][Int(byte) % 4]
        guard count <= budget else { return }
        budget -= count
        var tag: MessageTag?
        try ask(
            "send", isAllowed: isOpenForApp && UInt64(count) <= association.peerMaximum, { $0.send(count: count) },
            { tag = try send(SessionFile.message(of: 0, number: count, count: count)) })
        if let tag {
            try requireEqual(tag.number, association.lastTag, "the number of a message")
            names.messages.append(tag)
        }
    }

    private func takeBack(_ choices: inout Choices) throws {
        guard !names.messages.isEmpty, !isLate else { return }
        let tag = names.messages[names.messages.count - 1 - choices.int(below: min(names.messages.count, 8))]
        let isThere = association.mayTakeBack(tag.number)
        try requireEqual(takeBack(tag), isThere, "whether message \(tag.number) can be taken back")
        try settle()
    }

    /// The app takes as many messages as it has, at most `count`.
    func takeMessages(_ count: Int) throws {
        var credit: UInt64 = 0
        for _ in 0..<min(max(count, 1), association.untaken.count) { credit += association.takeMessage() }
        releaseCredit(credit)
        try settle()
    }

    // MARK: Streams

    private func openStream(_ choices: inout Choices) throws {
        let byte = choices.byte()
        let credit: UInt64 = [32_768, 0, 1, 100, 40_000, 1 << 62 - 1, 300, 32_769][Int(byte & 7)]
        let name = byte & 0x80 == 0 ? "log" : String(repeating: "n", count: byte & 0x40 == 0 ? 255 : 256)
        var id: StreamID?
        try ask(
            "openStream", isAllowed: isOpenForApp && name.utf8.count <= 255 && association.openingsOut.room > 0,
            { model in
                let number = model.takeOwnNumber()
                model.openingsOut.used += 1
                model.streams[number] = .own(credit: credit)
                let open =
                    ModelSent.varint(number) + ModelSent.varint(credit) + ModelSent.vector(Array(name.utf8)) + [0]
                model.owed.append(ModelSent(0x60, open))
            }, { id = try openStream(name, credit: credit) })
        if let id { names.streams[id.rawValue] = id }
    }

    /// A stream that the package knows: mostly a live one.
    private func stream(_ choices: inout Choices) -> (id: StreamID, live: ModelStream?)? {
        let byte = choices.byte()
        let live = association.streams.keys.sorted()
        let all = byte < 0xE0 && !live.isEmpty ? live : names.streams.keys.sorted()
        guard !all.isEmpty, let id = names.streams[all[Int(byte) % all.count]] else { return nil }
        return (id, association.streams[id.rawValue])
    }

    private func write(_ choices: inout Choices) throws {
        guard let (id, live) = stream(&choices) else { return }
        let byte = choices.byte()
        let count = byte < 0xC0 ? Int(byte) + 1 : [1_000, 20_000, 32_768, 70_000][Int(byte) % 4]
        guard count <= budget else { return }
        budget -= count
        let bytes = SessionFile.content(of: 0, file: id.rawValue, from: live?.written ?? 0, count: count)
        try ask(
            "write", isAllowed: isOpenForApp && live?.sending == .sending,
            { $0.streams[id.rawValue]?.written += UInt64(count) }, { try write(bytes, to: id) })
    }

    private func endStream(_ choices: inout Choices) throws {
        guard let (id, live) = stream(&choices) else { return }
        let (byte, number) = (choices.byte(), id.rawValue)
        let code = UInt64(byte >> 2)
        let payload = ModelSent.varint(number) + ModelSent.varint(code) + [0]
        switch byte & 3 {
        case 0, 3:
            try ask(
                "finish", isAllowed: isOpenForApp && live?.sending == .sending,
                { $0.streams[number]?.sending = .finishing }, { try finish(id) })
        case 1:
            let isAllowed = isOpenForApp && live.map { $0.sending != .ended } ?? false
            try ask(
                "reset", isAllowed: isAllowed,
                { model in
                    guard var stream = model.streams[number] else { return }
                    stream.sending = .ended
                    model.owed.append(ModelSent(0x66, payload))
                    model.put(stream, number)
                }, { try reset(id, code: code) })
        default:
            try ask(
                "stop", isAllowed: isOpenForApp && live?.receiving == .receiving,
                { model in
                    model.streams[number]?.receiving = .stopping
                    model.streams[number]?.hasTakenEnd = true
                    model.streams[number]?.drop()
                    model.owed.append(ModelSent(0x68, payload))
                }, { try stop(id, code: code) })
        }
    }

    /// The app takes bytes of a stream, or its end.
    private func takeOfStream(_ choices: inout Choices) throws {
        guard let (id, _) = stream(&choices) else { return }
        let byte = choices.byte()
        if byte >= 0xC0 {
            // Only what has come to its end has one to take.
            guard association.streams[id.rawValue]?.receiving ?? .ended == .ended else { return }
            tookEnd(of: id)
            association.take(id.rawValue) { $0.hasTakenEnd = true }
        } else {
            let count = byte < 0x80 ? Int(byte) : [300, 20_000, 32_768, 1_000_000][Int(byte) % 4]
            releaseCredit(count, of: id)
            association.take(id.rawValue) { $0.window.release(UInt64(count)) }
        }
        try settle()
    }
}
