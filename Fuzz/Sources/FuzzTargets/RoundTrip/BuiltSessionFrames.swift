import FuzzSupport
import MultipeerWire

/// The frames of sessions (SPEC §14.5).
enum BuiltSessionFrames {
    static func admit(_ choices: inout Choices) throws {
        let (chain, fields) = (Values.chain(&choices), Values.fields(&choices))
        try WrittenFrame.check(
            Admit(chain: chain, fields: fields.list), isLegal: chain.count <= 8 && fields.areLegal)
    }

    static func digest(_ choices: inout Choices) throws {
        let (digest, fields) = (Values.exactly(32, &choices), Values.fields(&choices))
        try WrittenFrame.check(DigestFrame(digest: digest, fields: fields.list), isLegal: fields.areLegal)
    }

    static func summary(_ choices: inout Choices) throws {
        let items = Self.members(&choices).map { member in
            Summary.Item(
                member: member, instance: Values.varint(&choices), sequence: Values.varint(&choices),
                entryHash: Values.exactly(32, &choices))
        }
        let fields = Values.fields(&choices)
        try WrittenFrame.check(
            Summary(items: items, fields: fields.list), isLegal: areLegal(items.map(\.member)) && fields.areLegal)
    }

    static func want(_ choices: inout Choices) throws {
        let (members, fields) = (Self.members(&choices), Values.fields(&choices))
        try WrittenFrame.check(
            Want(members: members, fields: fields.list),
            isLegal: !members.isEmpty && areLegal(members) && fields.areLegal)
    }

    static func unite(_ choices: inout Choices) throws {
        let parameters = Values.parameters(&choices)
        let charter = Charter(
            founder: Values.exactly(32, &choices), nonce: Values.exactly(32, &choices), parameters: parameters.list)
        let (chain, admission) = (Values.chain(&choices), Values.bytes(limit: 64, &choices))
        let fields = Values.fields(&choices)
        try WrittenFrame.check(
            Unite(charter: charter, chain: chain, admission: admission, fields: fields.list),
            isLegal: parameters.areLegal && chain.count <= 8 && [0, 64].contains(admission.count) && fields.areLegal)
    }

    static func enter(_ choices: inout Choices) throws {
        let (session, fields) = (Values.exactly(32, &choices), Values.fields(&choices))
        try WrittenFrame.check(Enter(session: session, fields: fields.list), isLegal: fields.areLegal)
    }

    static func roster(_ choices: inout Choices) throws {
        let list = (0..<choices.int(below: 4)).map { _ in entry(&choices) }
        let entries = list.map(\.entry)
        try WrittenFrame.check(
            RosterFrame(entries: entries),
            isLegal: !list.isEmpty && list.allSatisfy(\.isLegal) && areLegal(entries.map(\.content.member)))
    }

    /// A few keys, mostly ascending; or a byte more or less than a list may have.
    private static func members(_ choices: inout Choices) -> [[UInt8]] {
        let byte = choices.byte()
        if byte >= 0xF8 {
            return (0..<(255 + Int(byte & 3))).map {
                [UInt8($0 >> 8), UInt8($0 & 0xFF)] + [UInt8](repeating: 0, count: 30)
            }
        }
        let members = (0..<Int(byte & 7)).map { _ in Values.exactly(32, &choices) }
        return byte & 0x80 == 0 ? members.sorted { $0.lexicographicallyPrecedes($1) } : members
    }

    /// R14.5-2.
    private static func areLegal(_ members: [[UInt8]]) -> Bool {
        members.count <= 256 && zip(members, members.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    }

    /// R14.3-1.
    private static func entry(_ choices: inout Choices) -> (entry: RosterEntry, isLegal: Bool) {
        let (member, name) = (Values.exactly(32, &choices), Values.text(&choices, limit: 63))
        let (instance, sequence) = (Values.varint(&choices), Values.varint(&choices))
        let addresses = (0..<choices.int(below: 10)).map { _ in
            MemberAddress(kind: choices.byte() & 3, value: Values.bytes(limit: 64, &choices))
        }
        let (chain, fields) = (Values.chain(&choices), Values.fields(&choices, limit: 256))
        let content = RosterEntry.Content(
            member: member, instance: instance, sequence: sequence, presence: choices.bool() ? .left : .present,
            name: name,
            addresses: addresses, chain: chain, fields: fields.list)
        let listLength = addresses.reduce(0) { $0 + 1 + Values.vectorLength($1.value) }
        let areRight = addresses.allSatisfy { address in
            address.value.count <= 64 && (address.kind != 1 || address.value.count == 6)
                && (address.kind != 2 || address.value.count == 18)
        }
        let isLegal =
            name.count <= 63 && Values.isNameText(name) && addresses.count <= 8 && listLength <= 256 && areRight
            && chain.count <= 8 && fields.areLegal && content.encoded.count + 64 <= 1_024
        return (RosterEntry(content, signature: Values.exactly(64, &choices)), isLegal)
    }
}
