public import MultipeerWire

/// Frames of an open link (SPEC §13 to §15), legal or not.
extension WireBytes {
    // MARK: Credit, acknowledgements, keep-alive

    public static func credit(_ kind: UInt8, id: UInt64 = 0, limit: UInt64, rest: [UInt8] = []) -> [UInt8] {
        frame(.credit, [kind] + varint(id) + varint(limit) + rest)
    }

    public static func credit(_ kind: CreditKind, id: UInt64 = 0, limit: UInt64) -> [UInt8] {
        credit(kind.rawValue, id: id, limit: limit)
    }

    public static func ack(_ count: UInt64, rest: [UInt8] = []) -> [UInt8] { frame(.ack, varint(count) + rest) }

    public static func ping(_ data: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]) -> [UInt8] { frame(.ping, data) }

    public static func pong(_ data: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]) -> [UInt8] { frame(.pong, data) }

    // MARK: Resuming

    /// What no resume secret gives.
    public static let madeUpProof = [UInt8](repeating: 2, count: Resume.proofLength)

    /// RESUME for an association that nobody has; `said` stands between its name and the proof.
    public static func resume(_ said: [UInt8] = [0, 0, 0, 0], proof: [UInt8] = madeUpProof) -> [UInt8] {
        frame(.resume, [UInt8](repeating: 1, count: Resume.associationLength) + said + proof)
    }

    // MARK: Streams

    public static func streamOpen(
        _ id: UInt64, credit: UInt64 = 0, name: [UInt8] = Array("scripted".utf8), fields: [UInt8] = []
    ) -> [UInt8] {
        frame(.streamOpen, varint(id) + varint(credit) + vector(name) + vector(fields))
    }

    public static func streamData(_ id: UInt64, _ data: [UInt8]) -> [UInt8] { frame(.streamData, varint(id) + data) }

    public static func streamEnd(_ id: UInt64, size: UInt64, fields: [UInt8] = []) -> [UInt8] {
        frame(.streamEnd, varint(id) + varint(size) + vector(fields))
    }

    public static func streamReset(_ id: UInt64, code: UInt64 = 0, fields: [UInt8] = []) -> [UInt8] {
        frame(.streamReset, varint(id) + varint(code) + vector(fields))
    }

    public static func streamStop(_ id: UInt64, code: UInt64 = 0, fields: [UInt8] = []) -> [UInt8] {
        frame(.streamStop, varint(id) + varint(code) + vector(fields))
    }

    // MARK: Sessions

    /// The field of INVITE that holds its sender's chain of admissions (R8.2-7).
    public static func chainField(_ chain: [UInt8]) -> [UInt8] { field(0x02, chain) }

    public static func admit(_ chain: [UInt8], fields: [UInt8] = []) -> [UInt8] {
        frame(.admit, vector(chain) + vector(fields))
    }

    public static func roster(_ entries: [[UInt8]]) -> [UInt8] { frame(.roster, vector(entries.flatMap { $0 })) }

    public static func digest(_ digest: [UInt8], fields: [UInt8] = []) -> [UInt8] {
        frame(.digest, digest + vector(fields))
    }

    public static func summary(_ items: [UInt8] = [], fields: [UInt8] = []) -> [UInt8] {
        frame(.summary, vector(items) + vector(fields))
    }

    public static func want(_ members: [[UInt8]], fields: [UInt8] = []) -> [UInt8] {
        frame(.want, vector(members.flatMap { $0 }) + vector(fields))
    }

    /// UNITE for a session of which its sender is a member by a chain.
    public static func unite(
        _ charter: [UInt8], _ chain: [UInt8], admission: [UInt8] = [], fields: [UInt8] = []
    ) -> [UInt8] {
        frame(.unite, charter + vector(chain) + vector(admission) + vector(fields))
    }

    public static func enter(_ session: [UInt8], fields: [UInt8] = []) -> [UInt8] {
        frame(.enter, session + vector(fields))
    }

    /// All of an entry before its signature (SPEC §14.3).
    public static func entryContent(
        _ member: [UInt8], instance: UInt64 = 1, sequence: UInt64 = 0, presence: UInt8 = 1,
        name: [UInt8] = Array("Scripted".utf8), addresses: [UInt8] = [], chain: [UInt8] = [], fields: [UInt8] = []
    ) -> [UInt8] {
        member + varint(instance) + varint(sequence) + [presence] + vector(name) + vector(addresses) + vector(chain)
            + vector(fields)
    }

    // MARK: Datagrams

    /// DATAGRAMS (SPEC §26.2).
    public static func datagrams(port: UInt16) -> [UInt8] { frame(.datagrams, u16(port) + [0]) }
}
