/// What a session is (SPEC §4.3). The peer that founds the session makes it once; its hash identifies the session.
public struct Charter: Hashable, Sendable {
    /// The length of ``founder`` and of ``nonce``, in bytes.
    public static let partLength = 32

    /// The founder's identity key, 32 bytes.
    public let founder: [UInt8]
    /// 32 bytes that the founder drew at random.
    public let nonce: [UInt8]
    /// The rules of the session, as they came (``CharterParameters``).
    public let parameters: [Field]

    /// Creates a charter from a founder and a nonce of 32 bytes each.
    public init(founder: [UInt8], nonce: [UInt8], parameters: [Field] = []) {
        self.founder = founder
        self.nonce = nonce
        self.parameters = parameters
    }

    /// Decodes a whole charter.
    public init(encoded: Span<UInt8>) throws(WireError) {
        var reader = Reader(encoded)
        self = try reader.charter()
        try reader.finish(.parameters)
    }

    /// The whole structure. It is what came, byte by byte, because every structure has one form only (R4.3-2).
    public var encoded: [UInt8] {
        var writer = Writer()
        write(&writer)
        return writer.bytes
    }

    func write(_ writer: inout Writer) {
        writer.raw(founder)
        writer.raw(nonce)
        writer.fieldList(parameters)
    }
}

/// Whether an invitation is to a new session (SPEC §8.2).
public enum SessionKind: UInt8, Sendable, CaseIterable {
    /// A session that exists already.
    case existing = 0
    /// A session that the inviter founded for this invitation.
    case new = 1
    /// A session of which both are members (SPEC §14.8).
    case members = 2
}

extension Reader {
    /// Takes a charter.
    @_lifetime(self: copy self)
    mutating func charter() throws(WireError) -> Charter {
        let founder = try bytes(exactly: Charter.partLength, .founder)
        let nonce = try bytes(exactly: Charter.partLength, .nonce)
        var list = Reader(try vector(0...Field.maximumListLength, .parameters))
        var (parameters, rules): ([Field], CharterParameters) = ([], CharterParameters())
        while list.remaining > 0 {
            // One parameter's value is judged before the next one's type (R18-1).
            let field = try list.field(after: parameters.last, even: .charter)
            try rules.apply(field)
            parameters.append(field)
        }
        return Charter(founder: founder, nonce: nonce, parameters: parameters)
    }
}
