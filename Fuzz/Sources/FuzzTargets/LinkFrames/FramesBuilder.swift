import FuzzSupport

/// Frames as an attacker may make them, most of them nearly right. Knows which state the honest peer is in.
struct FramesBuilder {
    /// The honest peer, as it will be once it has taken the frames that wait.
    private(set) var ahead: ModelLink
    private(set) var plaintext: [UInt8] = []

    init(_ model: ModelLink) { ahead = model }

    mutating func append(_ bytes: [UInt8], isAuthenticated: Bool = false) {
        guard plaintext.count + bytes.count <= 65_516 else { return }
        plaintext += bytes
        // What the honest peer does is the comparison's business; here only its state counts.
        ahead.receive(isAuthenticated: isAuthenticated, plaintext: bytes)
    }

    mutating func append(_ frame: ModelSent) {
        append(frame.encoded, isAuthenticated: ModelLink.isPayload(frame.type) && ahead.isReadable)
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

    /// Mostly of a session that its sender founds, or has founded; else one to which somebody else has admitted it.
    private func invite(_ choices: inout Choices) -> [UInt8] {
        let timeouts: [UInt64] = [30_000, 1, 600_000, 0, 600_001]
        let (byte, flags) = (choices.byte(), choices.byte())
        let sort = flags >> 6 == 2 ? choices.byte() : flags >> 6
        let founder = sort == 0 || sort == 1 || sort & 0x80 != 0 ? ahead.peerKey : [UInt8](repeating: 0x33, count: 32)
        let parameters: [UInt8] = byte & 0x30 == 0x30 ? [3, flags & 0x1F, 1, flags & 0x20 == 0 ? 1 : 9] : [0]
        let charter = founder + [UInt8](repeating: byte & 0x40, count: 32) + parameters
        let kind: UInt8 = [0, 1, 0, 2][Int(sort & 3)]
        let rest = [kind, byte & 3, byte >> 2 & 3] + ModelSent.varint(timeouts[Int(flags) % 5])
        let context = ModelSent.vector(choices.bytes(upTo: 40))
        guard kind != 1, sort & 0x40 == 0 else { return charter + rest + context + fields(&choices) }
        let chain = founder == ahead.peerKey ? [] : AssociationFrames.chain(to: ahead.peerKey, charter, sort)
        return charter + rest + context + ModelSent.vector([2] + ModelSent.vector(chain))
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
        if ahead.verification.isListed, byte < 0xA0 { return [2, 0, 1] }
        return byte < 0xC0 ? [0] : [4, byte, 0xFA, 0xE0, 0xFA]
    }

    /// None; one that is skipped; one that is critical; or any bytes.
    func fields(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        if byte < 0xC0 { return [0] }
        if byte < 0xE0 { return ModelSent.vector([byte, 0].map { $0 & 0x3F }) }
        return choices.bytes(upTo: 20)
    }

    // MARK: Frames of an open link

    mutating func payload(_ kind: Int, _ choices: inout Choices, _ budget: inout Int) {
        append(AssociationFrames.make(kind, ahead.payload, &choices, &budget))
    }
}
