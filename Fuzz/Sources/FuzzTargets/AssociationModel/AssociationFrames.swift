import FuzzSupport

/// Frames of a peer on an open link, most of them nearly right. The model says which state the honest peer is in.
enum AssociationFrames {
    /// The frames of §13 and §15.
    static let types: [UInt64] = [
        0x14, 0x18, 0x1A, 0x40, 0x42, 0x50, 0x52, 0x54, 0x56, 0x58, 0x5A, 0x60, 0x62, 0x64, 0x66, 0x68,
    ]

    static func make(
        _ kind: Int, _ there: ModelAssociation, _ choices: inout Choices, _ budget: inout Int
    ) -> ModelSent {
        switch kind {
        case 0, 1: message(there, isPart: kind == 1, &choices, &budget)
        case 2: credit(there, &choices)
        case 3: ModelSent(0x1A, near(there.acksHeard + UInt64(there.sentFrames.count), &choices))
        case 4: ModelSent(choices.bool() ? 0x16 : 0x14, [UInt8](repeating: choices.byte(), count: 8))
        case 5: open(there, &choices)
        case 6: streamData(there, &choices, &budget)
        case 7: streamEnd(there, &choices)
        case 8: resetOrStop(there, &choices)
        case 9: offer(there, &choices)
        case 10: accept(there, &choices)
        case 11: cancel(there, &choices)
        case 12: fileData(there, &choices, &budget)
        case 13: fileEnd(there, &choices)
        case 14: ModelSent(0x5A, number(there.outgoing.filter { $0.value.state == .sent }.keys, there, &choices) + [0])
        default: session(there, &choices)
        }
    }

    // MARK: Numbers

    /// Mostly one of `right`; else one that is unused, ended, live as something else, or any.
    private static func number(
        _ right: some Sequence<UInt64>, _ there: ModelAssociation, _ choices: inout Choices
    ) -> [UInt8] {
        ModelSent.varint(numberValue(right, there, &choices))
    }

    private static func numberValue(
        _ right: some Sequence<UInt64>, _ there: ModelAssociation, _ choices: inout Choices
    ) -> UInt64 {
        let (byte, live) = (choices.byte(), right.sorted())
        if byte < 0xD0, !live.isEmpty { return live[Int(byte) % live.count] }
        let others = there.streams.keys.sorted() + there.outgoing.keys.sorted() + there.incoming.keys.sorted()
        switch byte & 7 {
        case 0: return there.nextOfPeer
        case 1: return there.nextOwn
        case 2: return max(there.nextOfPeer, 2) - 2
        case 3: return max(there.nextOwn, 2) - 2
        case 4: return 1 << 62 - 1
        case 5: return UInt64(byte >> 3)
        default: return others.isEmpty ? 0 : others[Int(byte >> 3) % others.count]
        }
    }

    /// Mostly that number; else one near by, or the greatest.
    private static func near(_ right: UInt64, _ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        switch byte {
        case ..<0xC0: return ModelSent.varint(right)
        case ..<0xD0: return ModelSent.varint(right + 1)
        case ..<0xE0: return ModelSent.varint(max(right, 1) - 1)
        case ..<0xF0: return ModelSent.varint(UInt64(byte & 15))
        default: return ModelSent.varint(1 << 62 - 1)
        }
    }

    /// A few bytes, or all that is missing or that credit allows, or a byte more than that, or many.
    private static func amount(
        _ choices: inout Choices, _ budget: inout Int, missing: UInt64, room: UInt64
    ) -> Int {
        let byte = choices.byte()
        let (missing, room) = (Int(min(missing, 1 << 20)), Int(min(room, 1 << 20)))
        let count =
            switch byte {
            case ..<0xA0: Int(byte)
            case ..<0xC0: missing
            case ..<0xD0: missing + 1
            case ..<0xD8: room
            case ..<0xE0: room + 1
            default: [1_000, 16_384, 60_000][Int(byte) % 3]
            }
        let granted = max(0, min(count, budget, 65_000))
        budget -= granted
        return granted
    }

    /// None; one that is skipped; one that is critical; or any bytes.
    private static func fields(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        if byte < 0xD0 { return [0] }
        if byte < 0xF0 { return ModelSent.vector([byte & 0x3F, 0]) }
        return choices.bytes(upTo: 12)
    }

    // MARK: Messages

    private static func message(
        _ there: ModelAssociation, isPart: Bool, _ choices: inout Choices, _ budget: inout Int
    ) -> ModelSent {
        let room = there.messages.limit - there.messages.used
        if isPart {
            let missing = there.partial.map { $0.total - UInt64($0.bytes.count) } ?? 0
            let count = amount(&choices, &budget, missing: missing, room: room)
            return ModelSent(0x42, SessionFile.content(of: 1, file: 1, from: 0, count: count))
        }
        let kind = choices.byte()
        let count = amount(&choices, &budget, missing: 300, room: max(room, 64) - 64)
        let totals: [UInt64] = [
            UInt64(count), UInt64(count) + 1, UInt64(count) + 100, there.maximumMessage, there.maximumMessage &+ 1,
            0xFFFF_FFFF, 1 << 62 - 1, UInt64(max(count, 1)) - 1, 300_000,
        ]
        let data = SessionFile.content(of: 1, file: 0, from: 0, count: count)
        return ModelSent(0x40, ModelSent.varint(totals[Int(kind) % totals.count]) + data)
    }

    private static func credit(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let byte = choices.byte()
        let steps: [UInt64] = [1, 64, 65, 300, 40_000, 0, 262_144, 1 << 61]
        let step = steps[Int(byte >> 3 & 7)]
        let kind = byte & 7 > 4 ? byte & 7 - 2 : byte & 7
        var (id, limit): (UInt64, UInt64) = (0, 0)
        switch kind {
        case 0: limit = there.allowance.limit
        case 1: limit = there.openingsOut.limit
        case 2: limit = there.offersOut.limit
        case 3:
            id = numberValue(there.streams.keys, there, &choices)
            limit = there.streams[id]?.allowance.limit ?? 40_000
        default:
            id = numberValue(there.outgoing.keys, there, &choices)
            limit = there.outgoing[id]?.allowance.limit ?? 40_000
        }
        if byte >= 0xF8 { return ModelSent(0x18, choices.bytes(upTo: 8)) }
        return ModelSent(0x18, [kind] + ModelSent.varint(id) + ModelSent.varint(min(limit + step, 1 << 62 - 1)))
    }

    // MARK: Streams

    private static func open(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let byte = choices.byte()
        let credits: [UInt64] = [32_768, 0, 1, 5, 300, 70_000, 1 << 62 - 1, 64]
        let name = byte & 8 == 0 ? [0x61] : choices.bytes(upTo: 20)
        let id = number([there.nextOfPeer], there, &choices)
        return ModelSent(
            0x60, id + ModelSent.varint(credits[Int(byte & 7)]) + ModelSent.vector(name) + fields(&choices))
    }

    private static func receiving(_ there: ModelAssociation) -> [UInt64] {
        there.streams.filter { $0.value.receiving != .ended }.map(\.key)
    }

    private static func streamData(
        _ there: ModelAssociation, _ choices: inout Choices, _ budget: inout Int
    ) -> ModelSent {
        let id = numberValue(receiving(there), there, &choices)
        let window = there.streams[id]?.window
        let room = (window?.limit ?? 0) - (window?.used ?? 0)
        let count = amount(&choices, &budget, missing: room, room: room)
        return ModelSent(
            0x62, ModelSent.varint(id) + SessionFile.content(of: 1, file: id, from: window?.used ?? 0, count: count))
    }

    private static func streamEnd(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let id = numberValue(receiving(there), there, &choices)
        let size = near(there.streams[id]?.window.used ?? 0, &choices)
        return ModelSent(0x64, ModelSent.varint(id) + size + fields(&choices))
    }

    private static func resetOrStop(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let isStop = choices.bool()
        let right = isStop ? there.streams.map(\.key) : receiving(there)
        let id = number(right, there, &choices)
        return ModelSent(isStop ? 0x68 : 0x66, id + near(UInt64(choices.byte()), &choices) + fields(&choices))
    }

    // MARK: Files

    private static func offer(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let sizes: [UInt64] = [0, 1, 17, 300, 60_000, 1 << 53 - 1, 1 << 53, 70_000]
        let byte = choices.byte()
        let (size, type) = (sizes[Int(byte & 7)], [0, 0, 1, 2, 0, 2, 0, 3][Int(byte >> 3 & 7)] as UInt8)
        let manifest: UInt64 = byte & 0xC0 == 0xC0 ? UInt64(choices.byte()) : type == 2 ? min(size, 9) : 0
        let tag = [UInt8](repeating: byte >> 6 & 1, count: 16)
        let id = number([there.nextOfPeer], there, &choices)
        return ModelSent(
            0x50,
            id + ModelSent.varint(size) + tag + [type, byte & 0x3F] + ModelSent.varint(manifest)
                + ModelSent.vector(choices.bytes(upTo: 20)) + fields(&choices))
    }

    private static func accept(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let id = numberValue(there.outgoing.filter { $0.value.state == .offered }.keys, there, &choices)
        let (byte, file) = (choices.byte(), there.outgoing[id])
        let size = file?.offer.size ?? 0
        let offset = byte < 0x80 ? 0 : byte < 0xC0 ? min(size, UInt64(byte & 0x3F)) : byte < 0xE0 ? size : size + 1
        let held = file?.content(from: 0, count: Int(min(offset, 100_000))) ?? []
        var hash = ModelBinding.sha256(held)
        if byte & 0x1F == 0x1F { hash[0] ^= 1 }
        let credits: [UInt64] = [1 << 20, 0, 1, 100, 40_000, 1 << 62 - 1]
        let credit = credits[choices.int(below: credits.count)]
        return ModelSent(
            0x52, ModelSent.varint(id) + ModelSent.varint(offset) + hash + ModelSent.varint(credit) + fields(&choices))
    }

    private static func cancel(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let isOwn = choices.bool()
        let right = isOwn ? there.outgoing.map(\.key) : there.incoming.map(\.key)
        let id = number(right, there, &choices)
        return ModelSent(0x54, id + [choices.byte() & 0x0F] + fields(&choices))
    }

    private static func fileData(
        _ there: ModelAssociation, _ choices: inout Choices, _ budget: inout Int
    ) -> ModelSent {
        let id = numberValue(there.incoming.filter { $0.value.isReceiving }.keys, there, &choices)
        let file = there.incoming[id]
        let (right, kind) = (file?.window.used ?? 0, choices.byte())
        let missing = (file?.offer.size ?? 300) - min(right, file?.offer.size ?? 300)
        let room = (file?.window.limit ?? right) - right
        let count = amount(&choices, &budget, missing: missing, room: room)
        let offset = kind < 0xC0 ? right : kind < 0xE0 ? right + UInt64(kind & 0x1F) : UInt64(kind & 0x1F)
        let data = SessionFile.content(of: 1, file: id, from: offset, count: count)
        return ModelSent(0x56, ModelSent.varint(id) + ModelSent.varint(offset) + data)
    }

    private static func fileEnd(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let id = numberValue(there.incoming.filter { $0.value.isReceiving }.keys, there, &choices)
        var digest = ModelBinding.sha256(there.incoming[id]?.bytes ?? [])
        let byte = choices.byte()
        if byte >= 0xE0 { digest[Int(byte & 31)] ^= 1 }
        return ModelSent(0x58, ModelSent.varint(id) + digest + fields(&choices))
    }

    // MARK: Sessions

    /// The frames of §14, which a guest ignores or refuses.
    private static func session(_ there: ModelAssociation, _ choices: inout Choices) -> ModelSent {
        let byte = choices.byte()
        let key = { (number: UInt8) in [UInt8](repeating: number, count: 32) }
        switch byte & 7 {
        case 0, 1:
            return ModelSent(
                0x1C, ModelSent.vector([UInt8](repeating: 1, count: Int(byte >> 4) * 48)) + fields(&choices))
        case 2, 3:
            let entry = { (member: UInt8) in
                key(member) + [byte & 0x3F, 0, byte >> 6, 0, 0, 0, 0] + key(member) + key(0)
            }
            return ModelSent(0x1E, ModelSent.vector(entry(choices.byte()) + entry(choices.byte())))
        case 4: return ModelSent(0x20, key(byte) + fields(&choices))
        case 5:
            let item = key(choices.byte()) + [1, 2] + key(3)
            return ModelSent(0x22, ModelSent.vector(item + key(choices.byte()) + [1, 2] + key(3)) + fields(&choices))
        case 6: return ModelSent(0x24, ModelSent.vector(key(choices.byte()) + key(choices.byte())) + fields(&choices))
        default: return union(byte, &choices)
        }
    }

    /// UNITE, ENTER, and any bytes in a frame of §14.
    private static func union(_ byte: UInt8, _ choices: inout Choices) -> ModelSent {
        let key = [UInt8](repeating: byte, count: 32)
        switch byte >> 3 & 3 {
        case 0: return ModelSent(0x2C, key + fields(&choices))
        case 1:
            let parameters = choices.bytes(upTo: 4)
            let chain = [UInt8](repeating: 1, count: Int(choices.byte() >> 4) * 48)
            let admission = [UInt8](repeating: 2, count: Int(byte >> 5) * 32)
            return ModelSent(
                0x2A,
                key + key + ModelSent.vector(parameters) + ModelSent.vector(chain) + ModelSent.vector(admission)
                    + fields(&choices))
        default: return ModelSent([0x1C, 0x24, 0x2A, 0x2C][Int(byte >> 6)], choices.bytes(upTo: 40))
        }
    }

    /// A chain that leads from the founder to a key; sometimes with a signature that is wrong.
    static func chain(to member: [UInt8], _ charter: [UInt8], _ byte: UInt8) -> [UInt8] {
        var reader = ModelReader(charter)
        guard let charter = try? reader.charter() else { return [UInt8](repeating: byte, count: 96) }
        let count = 1 + Int(byte >> 2 & 7)
        var (chain, admitted): ([UInt8], [UInt8]) = ([], member)
        for number in 1...count {
            let admitter = number == count ? charter.founder : [UInt8](repeating: UInt8(number), count: 32)
            chain += admitter + ModelCharter.sign(charter.admissionMessage(admitted), by: admitter)
            admitted = admitter
        }
        if byte & 0x20 != 0 { chain[chain.count / 2 + 16] ^= 1 }
        return chain
    }
}
