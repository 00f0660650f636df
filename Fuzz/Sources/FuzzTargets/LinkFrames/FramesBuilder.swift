import FuzzSupport

/// Frames as an attacker may make them, most of them nearly right. Knows where the honest side stands.
struct FramesBuilder {
    /// The honest side, as it will be once it has taken the frames that wait.
    private(set) var ahead: ModelLink
    private(set) var plaintext: [UInt8] = []

    init(_ model: ModelLink) { ahead = model }

    mutating func append(_ bytes: [UInt8], isAuthenticated: Bool = false) {
        guard plaintext.count + bytes.count <= 65_516 else { return }
        plaintext += bytes
        // What the honest side does is the comparison's business; here only its state counts.
        ahead.receive(isAuthenticated: isAuthenticated, plaintext: bytes)
    }

    mutating func append(_ frame: ModelSent) {
        let isPayload = [0x40, 0x42, 0x56].contains(frame.type)
        append(frame.encoded, isAuthenticated: isPayload && ahead.isReadable)
    }

    /// Changes a byte of what waits.
    mutating func change(at place: Int, _ bits: UInt8) {
        guard !plaintext.isEmpty else { return }
        plaintext[place % plaintext.count] ^= bits
    }

    // MARK: Frames of the invitation

    mutating func control(_ kind: Int, _ choices: inout Choices) {
        switch kind {
        case 0: append(ModelSent(0x04, peerInfo(&choices)))
        case 1: append(ModelSent(0x06, invite(&choices)))
        case 2: append(ModelSent(0x08, accept(&choices)))
        case 3: append(ModelSent(0x0A, [choices.byte()] + ModelSent.vector(choices.bytes(upTo: 3)) + fields(&choices)))
        case 4: append(ModelSent(0x0C, [choices.byte()] + fields(&choices)))
        case 5: append(ModelSent(0x0E, certificates(&choices)))
        case 6: append(ModelSent(0x10, fields(&choices)))
        case 7: append(ModelSent(0x00, ModelSent.varint(UInt64(choices.byte())) + fields(&choices)))
        case 8: append(ModelSent(0x12, fields(&choices)))
        default: append(ModelSent(UInt64(choices.byte()), choices.bytes(upTo: 15)))
        }
    }

    private func peerInfo(_ choices: inout Choices) -> [UInt8] {
        let maxima: [UInt64] = [1, 300, 70_000, 0xFFFF_FFFF, 0, 0x1_0000_0000]
        let name = choices.bytes(upTo: 64)
        let maximum = maxima[choices.int(below: 6)]
        return ModelSent.vector(name) + ModelSent.varint(maximum) + features(&choices) + fields(&choices)
    }

    private func invite(_ choices: inout Choices) -> [UInt8] {
        let timeouts: [UInt64] = [30_000, 1, 600_000, 0, 600_001]
        let (byte, flags) = (choices.byte(), choices.byte())
        let key = flags & 0xC0 == 0x40 ? ahead.peerKey : [UInt8](repeating: byte & 0x80, count: 32)
        let parameters: [UInt8] = byte & 0x30 == 0x30 ? [3, flags & 0x1F, 1, 9] : [0]
        let charter = key + [UInt8](repeating: byte & 0x40, count: 32) + parameters
        return charter + [(flags >> 6 + 1) / 2, byte & 3, byte >> 2 & 3] + ModelSent.varint(timeouts[Int(flags) % 5])
            + ModelSent.vector(choices.bytes(upTo: 40)) + fields(&choices)
    }

    /// Mostly what both preferences give.
    private func accept(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        let preference = byte & 3
        let right = ModelLink.outcome(ahead.invitation?.preference ?? 0, min(preference, 2)) ?? 1
        return [preference, byte >> 2 & 3, byte & 0x80 == 0 ? right : byte >> 4 & 3] + fields(&choices)
    }

    /// None, rightly signed, or otherwise.
    private func certificates(_ choices: inout Choices) -> [UInt8] {
        let kind = choices.byte()
        let leaf = [UInt8](repeating: 3, count: 1 + Int(kind >> 4))
        switch kind & 7 {
        case 0...2: return [0, 0, 0, 0, 0]
        case 3, 4:
            let chain = ModelSent.vector(leaf)
            return ahead.binding.certificates(of: ahead.role, isByLink: false, ahead, chain: chain, leaf: leaf)
        case 5: return ahead.binding.certificates(of: ahead.role, isByLink: false, ahead, chain: [], leaf: leaf)
        case 6: return choices.bytes(upTo: 60)
        default:
            let chain = choices.bytes(upTo: 60)
            return ahead.binding.certificates(of: ahead.role, isByLink: false, ahead, chain: chain, leaf: leaf)
        }
    }

    /// Mostly none; or two, in order or not.
    private func features(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        return byte < 0xC0 ? [0] : [4, byte, 0xFA, 0xE0, 0xFA]
    }

    /// None; one that is skipped; one that is critical; or any bytes.
    private func fields(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        if byte < 0xC0 { return [0] }
        if byte < 0xE0 { return ModelSent.vector([byte, 0].map { $0 & 0x3F }) }
        return choices.bytes(upTo: 20)
    }

    // MARK: Frames of the session

    mutating func payload(_ kind: Int, _ choices: inout Choices, _ budget: inout Int) {
        switch kind {
        case 0: appendMessage(&choices, &budget)
        case 1:
            let message = ahead.payload.message
            let count = amount(&choices, &budget, of: message?.total ?? 0, there: message?.bytes.count ?? 0)
            append(ModelSent(0x42, SessionFile.content(of: 1, file: 1, from: 0, count: count)))
        case 2: appendOffer(&choices)
        case 3: append(ModelSent(0x52, number(&choices, ahead.payload.outgoing.id) + [0]))
        case 4:
            let byte = choices.byte()
            let id = byte & 0x80 == 0 ? ahead.payload.outgoing.id : ahead.payload.incoming.id
            append(ModelSent(0x54, number(&choices, id) + [byte & 0x7F, 0]))
        case 5: appendData(&choices, &budget)
        case 6: appendEnd(&choices)
        default: append(ModelSent(0x5A, number(&choices, ahead.payload.outgoing.id) + [0]))
        }
    }

    private mutating func appendMessage(_ choices: inout Choices, _ budget: inout Int) {
        let kind = choices.byte()
        let count = amount(&choices, &budget, of: 300, there: 0)
        let totals: [UInt64] = [
            UInt64(count), UInt64(count) + 1, UInt64(count) + 100, ahead.maximumMessage, ahead.maximumMessage &+ 1,
            0xFFFF_FFFF, 1 << 62 - 1, UInt64(max(count, 1)) - 1,
        ]
        let data = SessionFile.content(of: 1, file: 0, from: 0, count: count)
        append(ModelSent(0x40, ModelSent.varint(totals[Int(kind) % totals.count]) + data))
    }

    private mutating func appendOffer(_ choices: inout Choices) {
        let sizes: [UInt64] = [0, 1, 17, 300, 60_000, 1 << 53 - 1, 1 << 53]
        let size = sizes[choices.int(below: sizes.count)]
        let id = number(&choices, ahead.payload.incoming.id)
        append(
            ModelSent(0x50, id + ModelSent.varint(size) + ModelSent.vector(choices.bytes(upTo: 20)) + fields(&choices)))
    }

    private mutating func appendData(_ choices: inout Choices, _ budget: inout Int) {
        let incoming = ahead.payload.incoming
        let kind = choices.byte()
        let count = amount(&choices, &budget, of: incoming.size, there: incoming.bytes.count)
        let right = UInt64(incoming.bytes.count)
        let offset = kind < 0xC0 ? right : kind < 0xE0 ? right + UInt64(kind & 0x1F) : UInt64(kind & 0x1F)
        let data = SessionFile.content(of: 1, file: incoming.id, from: offset, count: count)
        append(ModelSent(0x56, number(&choices, incoming.id) + ModelSent.varint(offset) + data))
    }

    private mutating func appendEnd(_ choices: inout Choices) {
        var digest = ahead.payload.incoming.digestOfAll
        let byte = choices.byte()
        if byte >= 0xE0 { digest[Int(byte & 31)] ^= 1 }
        append(ModelSent(0x58, number(&choices, ahead.payload.incoming.id) + digest + [0]))
    }

    /// Mostly the number that is right; else one near by, or any.
    private func number(_ choices: inout Choices, _ right: UInt64) -> [UInt8] {
        let byte = choices.byte()
        if byte < 0xD0 { return ModelSent.varint(right) }
        return ModelSent.varint(byte < 0xE0 ? right + 1 : byte < 0xF0 ? max(right, 1) - 1 : UInt64(byte & 15))
    }

    /// A few bytes, or all that is missing, or a byte more than that, or many.
    private func amount(_ choices: inout Choices, _ budget: inout Int, of total: UInt64, there: Int) -> Int {
        let byte = choices.byte()
        let missing = total > 1 << 20 ? 1 : max(0, Int(total) - there)
        let count =
            switch byte {
            case ..<0xA0: Int(byte)
            case ..<0xD0: missing
            case ..<0xE8: missing + 1
            default: [1_000, 16_384, 60_000][Int(byte) % 3]
            }
        let granted = max(0, min(count, budget, 60_000))
        budget -= granted
        return granted
    }
}
