/// What admits one member to a session (SPEC §14.2). Whether the signature verifies is not known here.
public struct Admission: Hashable, Sendable {
    /// The length of an admission, in bytes.
    public static let length = 96
    /// The greatest number of admissions in a chain.
    public static let maximumChainCount = 8

    /// The identity key of the member that admits, 32 bytes.
    public let admitter: [UInt8]
    /// Its Ed25519 signature, 64 bytes.
    public let signature: [UInt8]

    /// Creates an admission from a key of 32 bytes and a signature of 64.
    public init(admitter: [UInt8], signature: [UInt8]) {
        self.admitter = admitter
        self.signature = signature
    }

    /// Decodes a chain: what a vector of admissions holds.
    public static func chain(_ bytes: Span<UInt8>) throws(WireError) -> [Admission] {
        guard bytes.count % length == 0, bytes.count <= maximumChainCount * length else {
            throw WireError(.lengthOutOfRange, in: .admissions)
        }
        var reader = Reader(bytes)
        var chain: [Admission] = []
        while reader.remaining > 0 {
            chain.append(
                Admission(
                    admitter: try reader.bytes(exactly: 32, .admitter),
                    signature: try reader.bytes(exactly: 64, .signature)))
        }
        return chain
    }

    /// The content of a vector of admissions.
    public static func encode(_ chain: [Admission]) -> [UInt8] { chain.flatMap { $0.admitter + $0.signature } }
}

extension Reader {
    /// Takes a chain of admissions.
    @_lifetime(self: copy self)
    mutating func chain() throws(WireError) -> [Admission] {
        try Admission.chain(try vector(0...Admission.maximumChainCount * Admission.length, .admissions))
    }
}

/// ADMIT (SPEC §14.5): a chain for its receiver. It is empty if that is the founder.
public struct Admit: ControlFrame, Equatable {
    public static let type = FrameType.admit

    /// The receiver's chain.
    public let chain: [Admission]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(chain: [Admission], fields: [Field] = []) {
        self.chain = chain
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        chain = try payload.chain()
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.vector(Admission.encode(chain))
        payload.fieldList(fields)
    }
}
