/// How far the receiver of a file has come (SPEC §13.9).
public struct FilePosition: Sendable, Hashable {
    /// The greatest length of a list of positions, in bytes.
    public static let longestList = 1_024

    /// The number of the file.
    public let id: UInt64
    /// The position after the last byte that came.
    public let offset: UInt64

    /// Creates a position.
    public init(id: UInt64, offset: UInt64) {
        self.id = id
        self.offset = offset
    }

    /// The content of a list.
    public static func encode(_ positions: [FilePosition]) -> [UInt8] {
        var writer = Writer()
        for position in positions {
            writer.varint(position.id)
            writer.varint(position.offset)
        }
        return writer.bytes
    }

    /// Decodes the content of a list, whose numbers ascend (R13.9-9).
    static func decode(_ bytes: Span<UInt8>) throws(WireError) -> [FilePosition] {
        var reader = Reader(bytes)
        var positions: [FilePosition] = []
        while reader.remaining > 0 {
            let id = try reader.varint(.filePositions)
            guard positions.last.map({ $0.id < id }) ?? true else {
                throw WireError(.valueOutOfRange, in: .filePositions)
            }
            positions.append(FilePosition(id: id, offset: try reader.varint(.filePositions)))
        }
        return positions
    }
}

/// What RESUME and RESUMED have in common: how far their sender is, and a proof that covers all before it.
private protocol ResumptionFrame: ControlFrame {
    var received: UInt64 { get }
    var files: [FilePosition] { get }
    var fields: [Field] { get }
    var proof: [UInt8] { get }
    /// Writes what only one of them has, which comes first.
    func writeFront(_ payload: inout Writer)
}

extension ResumptionFrame {
    fileprivate func writeProved(_ payload: inout Writer) {
        writeFront(&payload)
        payload.varint(received)
        payload.vector(FilePosition.encode(files))
        payload.fieldList(fields)
    }

    fileprivate func writeAll(_ payload: inout Writer) {
        writeProved(&payload)
        payload.raw(proof)
    }

    fileprivate var bytesBeforeProof: [UInt8] {
        var writer = Writer()
        writeProved(&writer)
        return writer.bytes
    }
}

extension Reader {
    /// Takes what RESUME and RESUMED have in common.
    @_lifetime(self: copy self)
    fileprivate mutating func resumption() throws(WireError) -> (
        received: UInt64, files: [FilePosition], fields: [Field], proof: [UInt8]
    ) {
        (
            try varint(.receivedCount),
            try FilePosition.decode(try vector(0...FilePosition.longestList, .filePositions)),
            try fieldList(), try bytes(exactly: Resume.proofLength, .resumeProof)
        )
    }
}

/// RESUME (SPEC §13.9): the initiator wants to continue an association over this link.
public struct Resume: ControlFrame, Equatable {
    public static let type = FrameType.resume
    /// The length of ``association``, in bytes.
    public static let associationLength = 16
    /// The length of the proof of RESUME and RESUMED, in bytes.
    public static let proofLength = 32

    /// Which association, 16 bytes.
    public let association: [UInt8]
    /// How often the sender has seen it continue.
    public let epoch: UInt64
    /// How many counted frames the sender has processed.
    public let received: UInt64
    /// Up to where the sender has the files that it receives.
    public let files: [FilePosition]
    /// The fields that later versions may define.
    public let fields: [Field]
    /// Shows that the sender took part in the association's first link, and means this one: 32 bytes.
    public var proof: [UInt8]

    /// Creates a frame from an identifier of 16 bytes and positions in ascending order, without its proof.
    public init(
        association: [UInt8], epoch: UInt64, received: UInt64, files: [FilePosition],
        fields: [Field] = []
    ) {
        self.association = association
        self.epoch = epoch
        self.received = received
        self.files = files
        self.fields = fields
        proof = [UInt8](repeating: 0, count: Self.proofLength)
    }

    public init(_ payload: inout Reader) throws(WireError) {
        association = try payload.bytes(exactly: Self.associationLength, .association)
        epoch = try payload.varint(.epoch)
        (received, files, fields, proof) = try payload.resumption()
    }

    public func write(_ payload: inout Writer) { writeAll(&payload) }

    /// The payload before the proof, which covers it.
    public var proved: [UInt8] { bytesBeforeProof }
}

extension Resume: ResumptionFrame {
    fileprivate func writeFront(_ payload: inout Writer) {
        payload.raw(association)
        payload.varint(epoch)
    }
}

/// RESUMED (SPEC §13.9): the responder continues the association, and the link is open.
public struct Resumed: ControlFrame, Equatable {
    public static let type = FrameType.resumed

    /// How many counted frames the sender has processed.
    public let received: UInt64
    /// Up to where the sender has the files that it receives.
    public let files: [FilePosition]
    /// The fields that later versions may define.
    public let fields: [Field]
    /// As in RESUME, 32 bytes.
    public var proof: [UInt8]

    /// Creates a frame from positions in ascending order, without its proof.
    public init(received: UInt64, files: [FilePosition], fields: [Field] = []) {
        self.received = received
        self.files = files
        self.fields = fields
        proof = [UInt8](repeating: 0, count: Resume.proofLength)
    }

    public init(_ payload: inout Reader) throws(WireError) {
        (received, files, fields, proof) = try payload.resumption()
    }

    public func write(_ payload: inout Writer) { writeAll(&payload) }

    /// The payload before the proof, which covers it.
    public var proved: [UInt8] { bytesBeforeProof }
}

extension Resumed: ResumptionFrame {
    fileprivate func writeFront(_ payload: inout Writer) {}
}
