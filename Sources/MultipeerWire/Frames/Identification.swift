/// PROOF (SPEC §9.5): the sender's identity key, and a signature by it.
public struct Proof: ControlFrame, Equatable {
    public static let type = FrameType.proof

    /// The Ed25519 public key, 32 bytes.
    public let identityKey: [UInt8]
    /// The Ed25519 signature, 64 bytes.
    public let signature: [UInt8]

    /// Creates a frame from a key of 32 bytes and a signature of 64 bytes.
    public init(identityKey: [UInt8], signature: [UInt8]) {
        self.identityKey = identityKey
        self.signature = signature
    }

    public init(_ payload: inout Reader) throws(WireError) {
        identityKey = try payload.bytes(exactly: 32, .identityKey)
        signature = try payload.bytes(exactly: 64, .signature)
    }

    public func write(_ payload: inout Writer) {
        payload.raw(identityKey)
        payload.raw(signature)
    }
}

/// PEER_INFO (SPEC §8.1): the sender's display name, and its limit for messages.
public struct PeerInfo: ControlFrame, Equatable {
    public static let type = FrameType.peerInfo

    /// The display name: at most 63 bytes of well-formed UTF-8 without the code points that R4.2-1 forbids. It is empty if
    /// the sender shows its name to others only.
    public let displayName: [UInt8]
    /// The length of the longest message that the sender accepts, in bytes.
    public let maximumMessage: UInt64
    /// What the sender supports beyond what every peer must, ascending (``Feature``). Others are ignored (R8.1-4).
    public let features: [UInt16]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// The range of ``maximumMessage`` (R8.1-2).
    public static let maximumMessageRange: ClosedRange<UInt64> = 1...0xFFFF_FFFF
    /// The greatest length of the list of features, in bytes.
    public static let maximumFeaturesLength = 256

    /// Creates a frame from values that must be in range.
    public init(
        displayName: [UInt8], maximumMessage: UInt64, features: [UInt16] = [], fields: [Field] = []
    ) {
        self.displayName = displayName
        self.maximumMessage = maximumMessage
        self.features = features
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        let name = try payload.text(0...63, .displayName)
        guard name.isEmpty || Utf8.isName(name.span) else { throw WireError(.valueOutOfRange, in: .displayName) }
        displayName = name
        maximumMessage = try payload.varint(.maximumMessage)
        guard Self.maximumMessageRange.contains(maximumMessage) else {
            throw WireError(.valueOutOfRange, in: .maximumMessage)
        }
        features = try payload.ascendingValues(0...Self.maximumFeaturesLength, .features)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.vector(displayName)
        payload.varint(maximumMessage)
        payload.values(features)
        payload.fieldList(fields)
    }
}
