import FuzzSupport

/// Charters, chains and entries, most of them right. Everybody's key is known, because signatures are insecure.
struct SessionBuilder {
    let charter: ModelCharter

    static let founder = [UInt8](repeating: 0x33, count: 32)

    /// One of a few charters, by bits that targets do not use otherwise: which members admit, how many there are.
    static func charter(_ flags: UInt8) -> ModelCharter {
        let parameters: [UInt8] =
            switch flags >> 4 & 3 {
            case 0, 2: [0]
            case 1: [3, 0x02, 1, 1]
            default: [4, 0x04, 2, 0x41, 0x00]
            }
        var reader = ModelReader(founder + [UInt8](repeating: flags & 0x40, count: 32) + parameters)
        do { return try reader.charter() } catch { fatalError("a charter that is right: \(error)") }
    }

    /// The key of a member; 0 is the founder.
    static func key(_ number: Int) -> [UInt8] {
        if number == 0 { return founder }
        return [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] + [UInt8](repeating: 0x55, count: 30)
    }

    /// A chain for a member, by the numbers of the admitters, the nearest first. The founder comes last by itself,
    /// unless the chain ends with a stranger.
    func chain(to member: Int, by admitters: [Int], endsWithStranger: Bool = false) -> [UInt8] {
        guard member != 0 else { return [] }
        var (chain, admitted): ([UInt8], [UInt8]) = ([], Self.key(member))
        for admitter in admitters.map(Self.key) + (endsWithStranger ? [] : [Self.founder]) {
            chain += admitter + ModelCharter.sign(charter.admissionMessage(admitted), by: admitter)
            admitted = admitter
        }
        return chain
    }

    /// An entry whose signature is right.
    func entry(
        of member: Int, instance: UInt64, sequence: UInt64, presence: UInt8, name: [UInt8] = [],
        addresses: [UInt8] = [], chain: [UInt8], fields: [UInt8] = [0]
    ) -> [UInt8] {
        let content =
            Self.key(member) + ModelSent.varint(instance) + ModelSent.varint(sequence) + [presence]
            + ModelSent.vector(name) + ModelSent.vector(addresses) + ModelSent.vector(chain) + fields
        return content + ModelCharter.sign(charter.entryMessage(content), by: Self.key(member))
    }

    /// An entry that is nearly right.
    func entry(_ choices: inout Choices) -> [UInt8] {
        let (member, instance, sequence) = (choices.int(below: 10), choices.byte(), choices.byte())
        let presence = choices.byte()
        let instances: [UInt64] = [1 << 62 - 1, 1 << 40, 1_700_000_000_000]
        let name = choices.bytes(upTo: 70)
        let addresses = (0..<choices.int(below: 11)).flatMap { _ in address(&choices) }
        let length = choices.int(below: 9)
        let admitters = (0..<length).map { _ in 1 + choices.int(below: 9) }
        let fault = choices.byte()
        var chain = self.chain(to: member, by: fault == 0xC1 ? [] : admitters, endsWithStranger: fault == 0xC2)
        if fault >= 0xF0, !chain.isEmpty { chain[Int(fault) * 7 % chain.count] ^= 1 }
        var bytes = entry(
            of: member, instance: instance < 0xF0 ? UInt64(instance) : instances[Int(instance) % 3],
            sequence: UInt64(sequence), presence: presence < 0xFE ? presence & 1 : presence, name: name,
            addresses: addresses, chain: chain, fields: fields(fault, &choices))
        if fault & 0xF0 == 0xE0 { bytes[bytes.count - 1 - Int(fault & 15)] ^= 1 }
        if fault == 0xD0 { bytes.append(0) }
        if fault == 0xD1 { bytes.removeLast() }
        return bytes
    }

    private func address(_ choices: inout Choices) -> [UInt8] {
        let byte = choices.byte()
        switch byte & 7 {
        case 0, 1: return [1] + ModelSent.vector([127, 0, 0, 1, 1, byte])
        case 2: return [2] + ModelSent.vector([UInt8](repeating: byte, count: 18))
        case 3: return [9] + ModelSent.vector(choices.bytes(upTo: 65))
        case 4: return [0] + [0]
        default: return [byte & 3] + ModelSent.vector([UInt8](repeating: byte, count: Int(byte >> 3)))
        }
    }

    private func fields(_ fault: UInt8, _ choices: inout Choices) -> [UInt8] {
        switch fault & 0xF0 {
        case 0x80: [2, 0x1F, 0]
        case 0x90: [2, fault & 0x0F, 0]
        case 0xA0: ModelSent.vector([0x1F] + ModelSent.vector([UInt8](repeating: 1, count: 240 + Int(fault & 15))))
        case 0xB0: choices.bytes(upTo: 12)
        default: [0]
        }
    }
}
