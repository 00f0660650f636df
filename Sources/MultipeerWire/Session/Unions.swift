/// UNITE (SPEC §14.11): its sender is a member of a lesser session.
public struct Unite: ControlFrame, Equatable {
    public static let type = FrameType.unite
    /// The length of ``admission``, if there is one.
    static let signatureLength = 64

    /// The lesser session.
    public let charter: Charter
    /// The sender's own chain there.
    public let chain: [Admission]
    /// The signature by which the sender admits the receiver, 64 bytes; empty if it does not.
    public let admission: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame. `admission` has 64 bytes, or none.
    public init(charter: Charter, chain: [Admission], admission: [UInt8], fields: [Field] = []) {
        self.charter = charter
        self.chain = chain
        self.admission = admission
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        charter = try payload.charter()
        chain = try payload.chain()
        let signature = try payload.vector(0...Self.signatureLength, .signature)
        guard signature.isEmpty || signature.count == Self.signatureLength else {
            throw WireError(.lengthOutOfRange, in: .signature)
        }
        admission = [UInt8](copying: signature)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        charter.write(&payload)
        payload.vector(Admission.encode(chain))
        payload.vector(admission)
        payload.fieldList(fields)
    }
}

/// ENTER (SPEC §14.11): what follows in its direction is for another session.
public struct Enter: ControlFrame, Equatable {
    public static let type = FrameType.enter

    /// The identifier of the session, 32 bytes.
    public let session: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from an identifier of 32 bytes.
    public init(session: [UInt8], fields: [Field] = []) {
        self.session = session
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        session = try payload.bytes(exactly: 32, .session)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(session)
        payload.fieldList(fields)
    }
}
