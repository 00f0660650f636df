/// CERTIFICATES (SPEC §10.2): a certificate chain, and a signature by the leaf's key over this link.
public struct Certificates: ControlFrame, Equatable {
    public static let type = FrameType.certificates

    /// The greatest number of certificates.
    public static let maximumCount = 8
    /// The greatest length of one certificate, in bytes.
    public static let maximumCertificateLength = 16_384
    /// The greatest length of all certificates together, in bytes.
    public static let maximumTotalLength = 49_152
    /// The greatest length of the signature, in bytes.
    public static let maximumSignatureLength = 4_096

    /// The certificates in DER, leaf first. The array is empty if the peer shows none.
    public let chain: [[UInt8]]
    /// The SignatureScheme of RFC 8446, or 0 with an empty chain.
    public let algorithm: UInt16
    /// The signature of SPEC §10.3.
    public let signature: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from values that must be in range.
    public init(chain: [[UInt8]], algorithm: UInt16, signature: [UInt8], fields: [Field] = []) {
        self.chain = chain
        self.algorithm = algorithm
        self.signature = signature
        self.fields = fields
    }

    /// The frame of a peer that shows no certificate.
    public static let none = Certificates(chain: [], algorithm: 0, signature: [])

    public init(_ payload: inout Reader) throws(WireError) {
        var list = Reader(try payload.vector(0...49_216, .chain))
        var chain: [[UInt8]] = []
        var total = 0
        while list.remaining > 0 {
            // The count and the total length are checked before the certificate is copied (R10.2-1).
            let der = try list.vector(1...Self.maximumCertificateLength, .certificate)
            total += der.count
            guard chain.count < Self.maximumCount, total <= Self.maximumTotalLength else {
                throw WireError(.lengthOutOfRange, in: .chain)
            }
            chain.append([UInt8](copying: der))
        }
        self.chain = chain
        algorithm = try payload.u16(.algorithm)
        signature = try payload.bytes(0...Self.maximumSignatureLength, .signature)
        fields = try payload.fieldList(maximum: Field.maximumCertificatesListLength)
    }

    public func write(_ payload: inout Writer) {
        payload.vector(Self.encode(chain: chain))
        payload.u16(algorithm)
        payload.vector(signature)
        payload.fieldList(fields)
    }

    /// Whether the frame shows no certificate (R10.2-2). Its fields are free.
    public var isEmpty: Bool { chain.isEmpty && algorithm == 0 && signature.isEmpty }

    /// The content of the vector `chain`, whose hash is signed (SPEC §10.3).
    public static func encode(chain: [[UInt8]]) -> [UInt8] {
        var writer = Writer()
        for der in chain { writer.vector(der) }
        return writer.bytes
    }
}

/// READY (SPEC §10.5): the sender has accepted the peer.
public struct Ready: ControlFrame, Equatable {
    public static let type = FrameType.ready

    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(fields: [Field] = []) { self.fields = fields }

    public init(_ payload: inout Reader) throws(WireError) { fields = try payload.fieldList() }

    public func write(_ payload: inout Writer) { payload.fieldList(fields) }
}

/// REKEY (SPEC §12.6): after the record that holds it the sender's direction uses the next key.
public struct Rekey: ControlFrame, Equatable {
    public static let type = FrameType.rekey

    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(fields: [Field] = []) { self.fields = fields }

    public init(_ payload: inout Reader) throws(WireError) { fields = try payload.fieldList() }

    public func write(_ payload: inout Writer) { payload.fieldList(fields) }
}
