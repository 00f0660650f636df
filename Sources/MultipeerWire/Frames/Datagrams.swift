/// DATAGRAMS (SPEC §26.2): the sender takes datagrams beside this link.
public struct Datagrams: ControlFrame, Equatable {
    public static let type = FrameType.datagrams

    /// The UDP port at which a responder takes them; 0 of an initiator.
    public let port: UInt16
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(port: UInt16, fields: [Field] = []) {
        self.port = port
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        port = try payload.u16(.datagramPort)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.u16(port)
        payload.fieldList(fields)
    }
}
