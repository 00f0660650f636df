import FuzzSupport
import MultipeerCore

/// Frames of SPEC §25, most of them such as a peer sends that knows the code.
extension FramesBuilder {
    /// y of the attacker.
    private static let scalar = [UInt8](repeating: 0x0D, count: 32)
    static let nonce = [UInt8](repeating: 0x4E, count: 32)

    mutating func verification(_ kind: Int, _ choices: inout Choices) {
        switch kind {
        case 0: append(ModelSent(0x78, begin(&choices)))
        case 1: append(ModelSent(0x7A, share(isTypist: false, &choices) + fields(&choices)))
        case 2: append(ModelSent(0x7C, confirmation(&choices) + fields(&choices)))
        case 3:
            let isAsking = ahead.role == .initiator ? choices.byte() < 0xE0 : choices.byte() >= 0xE0
            append(
                isAsking ? ModelSent(0x70, fields(&choices)) : ModelSent(0x72, commitment(&choices) + fields(&choices)))
        case 4:
            let isReveal = ahead.role == .responder ? choices.byte() < 0xE0 : choices.byte() >= 0xE0
            append(ModelSent(isReveal ? 0x76 : 0x74, nonce(&choices) + fields(&choices)))
        default: append(ModelSent(0x70 + 2 * UInt64(choices.byte() % 7), choices.bytes(upTo: 40)))
        }
    }

    private func begin(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        let number: UInt64 = byte < 0xD0 ? 4 : [7, 0, 999, 1_000][Int(byte & 3)]
        return share(isTypist: true, &choices) + ModelSent.varint(number) + fields(&choices)
    }

    /// The attacker's, for one of the codes; or no share.
    private func share(isTypist: Bool, _ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        if byte >= 0xF8 { return [UInt8](repeating: 0xFF, count: 32) }
        if byte >= 0xF0 { return ConstantRandomness.scalar }
        let text = ModelVerification.codes[byte < 0xC0 ? 0 : Int(byte % 3)]
        let keys = isTypist ? ahead.peerKey + ahead.ownKey : ahead.ownKey + ahead.peerKey
        let code = ModelCode(text: text, isTypist: isTypist, sid: ahead.binding.codeIdentifier, keys: keys)
        return code.share(Self.scalar)
    }

    /// What the honest peer expects, or what it has sent itself, or other bytes.
    private func confirmation(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        guard let code = ahead.verification.code, code.messages.allSatisfy({ $0.count >= 32 }), byte < 0xF0 else {
            return [UInt8](repeating: byte, count: 32)
        }
        return code.confirmations[(code.isTypist ? 1 : 0) ^ (byte < 0xD0 ? 0 : 1)]
    }

    private func commitment(_ choices: inout Choices) -> [UInt8] {
        choices.byte() < 0xE0 ? ahead.commitment(to: Self.nonce) : [UInt8](repeating: 1, count: 32)
    }

    private func nonce(_ choices: inout Choices) -> [UInt8] {
        choices.byte() < 0xE0 ? Self.nonce : ConstantRandomness.nonce
    }
}
