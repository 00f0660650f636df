import MultipeerCrypto
import MultipeerWire

/// The keys of one direction, which follow from the exporter of the link (SPEC §26.3). No further ones can be made once that is gone.
struct DatagramKeys {
    /// How many counters share a key.
    static let generation: UInt64 = 1 << 20
    /// The label of the keys.
    static let keyLabel = Array("multipeer/1 datagram".utf8)
    /// The label of the tags.
    static let tagLabel = Array("multipeer/1 datagram tag".utf8)

    /// Says to which link a packet of this direction belongs.
    let tag: UInt64
    private let role: LinkRole
    private let suite: Suite
    private let crypto: CryptoProvider
    private let exports: ExportKeys
    /// The keys in use, with their generations: that of the greatest counter, and those beside it.
    private var keys: [(generation: UInt64, key: any AEADKey)] = []

    /// - Parameter role: The role of the peer that sends in this direction.
    /// - Returns: Nil for a link that has ended.
    init?(sentBy role: LinkRole, suite: Suite, exports: ExportKeys, crypto: CryptoProvider) throws(CryptoFailure) {
        (self.role, self.suite, self.exports, self.crypto) = (role, suite, exports, crypto)
        guard let tag = try exports.export(label: Self.tagLabel, context: [role.byte], length: 8) else { return nil }
        self.tag = tag.span.u64(at: 0)
    }

    /// Seals a packet.
    /// - Returns: Nil for a link that has ended.
    mutating func seal(
        _ kind: DatagramKind, _ contents: [UInt8], counter: UInt64
    ) throws(CryptoFailure) -> [UInt8]? {
        guard let key = try key(for: counter) else { return nil }
        var packet = DatagramHeader(kind: kind, tag: tag, counter: counter).bytes
        packet.reserveCapacity(DatagramHeader.length + contents.count + aeadTagLength)
        packet += contents
        packet += repeatElement(0, count: aeadTagLength)
        let end = packet.count - aeadTagLength
        var span = packet.mutableSpan
        try key.seal(
            &span, associatedData: 0..<DatagramHeader.length, plaintext: DatagramHeader.length..<end, nonce: counter)
        return packet
    }

    /// Opens a packet.
    /// - Returns: The contents; nil if it does not verify, or the link has ended.
    mutating func open(_ packet: Span<UInt8>, counter: UInt64) -> [UInt8]? {
        do {
            guard let key = try key(for: counter) else { return nil }
            let sealed = packet.extracting(DatagramHeader.length..<packet.count)
            let header = packet.extracting(first: DatagramHeader.length)
            return try [UInt8](capacity: sealed.count - aeadTagLength) { (output) throws(CryptoFailure) in
                try key.open(sealed, associatedData: header, nonce: counter, into: &output)
            }
        } catch {
            return nil
        }
    }

    /// The link closes (R26.4-5).
    mutating func destroy() { keys = [] }

    /// The context of the key for a counter.
    static func context(_ role: LinkRole, of counter: UInt64) -> [UInt8] {
        var context = [role.byte]
        context.append(bigEndian: counter / generation)
        return context
    }

    private mutating func key(for counter: UInt64) throws(CryptoFailure) -> (any AEADKey)? {
        let generation = counter / Self.generation
        if let known = keys.first(where: { $0.generation == generation }) { return known.key }
        guard let secret = try exports.secret(label: Self.keyLabel, context: Self.context(role, of: counter)) else {
            return nil
        }
        let key = try crypto.makeKey(secret, for: suite)
        keys.removeAll { $0.generation + 1 < generation }
        keys.append((generation, key))
        return key
    }
}
