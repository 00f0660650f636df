public import MultipeerCrypto
public import MultipeerWire

/// One direction's key and counter (SPEC §12), apart from `CipherState`, with any kind, header, key and counter.
/// The key is plain bytes: NO SECURITY.
public struct RecordCipher {
    public private(set) var key: [UInt8]
    /// The counter of the next record.
    public var counter: UInt64
    /// Forgets to rekey (SPEC §12.5).
    public var skipsRekey = false
    private let suite: Suite
    private let crypto: CryptoProvider
    private var aead: any AEADKey

    public init(suite: Suite, key: [UInt8], counter: UInt64 = 0, crypto: CryptoProvider) throws(CryptoFailure) {
        (self.suite, self.key, self.counter, self.crypto) = (suite, key, counter, crypto)
        aead = try suite.makeKey(key, crypto)
    }

    /// A whole record; the counter continues.
    ///
    /// - Parameter header: What the tag covers, unless it is the record's own header.
    public mutating func seal(
        _ frames: [UInt8], as kind: RecordKind = .encrypted, authenticating header: [UInt8]? = nil
    ) throws(CryptoFailure) -> [UInt8] {
        try seal(frames, kindByte: kind.rawValue, authenticating: header)
    }

    /// As above, for any byte as the record's kind.
    public mutating func seal(
        _ frames: [UInt8], kindByte: UInt8, authenticating header: [UInt8]? = nil
    ) throws(CryptoFailure) -> [UInt8] {
        let shown = WireBytes.header(kindByte, frames.count + aeadTagLength)
        var record = (header ?? shown) + frames + [UInt8](repeating: 0, count: aeadTagLength)
        let end = record.count - aeadTagLength
        let boundary = kindByte == RecordKind.authenticated.rawValue ? end : RecordHeader.length
        var span = record.mutableSpan
        try aead.seal(&span, associatedData: 0..<boundary, plaintext: boundary..<end, nonce: counter)
        try count()
        record.replaceSubrange(0..<RecordHeader.length, with: shown)
        return record
    }

    /// The frames of a whole record; the counter continues unless it throws.
    ///
    /// - Parameter verifies: Whether a wrong tag matters.
    public mutating func open(_ record: [UInt8], verifies: Bool = true) throws(CryptoFailure) -> [UInt8] {
        let end = record.count - aeadTagLength
        let isReadable = record[0] == RecordKind.authenticated.rawValue
        let boundary = isReadable ? end : RecordHeader.length
        let (header, sealed) = (Array(record[..<boundary]), Array(record[boundary...]))
        var plaintext: [UInt8]
        if verifies {
            plaintext = []
            try plaintext.append(addingCapacity: end - boundary) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                try aead.open(sealed.span, associatedData: header.span, nonce: counter, into: &output)
            }
        } else {
            // Both ciphers are stream ciphers: to seal a ciphertext again gives the plaintext, whatever its tag.
            plaintext = sealed
            var span = plaintext.mutableSpan
            try aead.seal(&span, associatedData: 0..<0, plaintext: 0..<end - boundary, nonce: counter)
            plaintext.removeLast(aeadTagLength)
        }
        try count()
        return isReadable ? Array(record[RecordHeader.length..<end]) : plaintext
    }

    private mutating func count() throws(CryptoFailure) {
        counter &+= 1
        if !skipsRekey, counter % 65_536 == 0 { try rekey() }
    }

    /// REKEY (Noise §4.2): the first 32 bytes of zeros encrypted under the reserved nonce.
    public mutating func rekey() throws(CryptoFailure) {
        var zeros = [UInt8](repeating: 0, count: 32 + aeadTagLength)
        var span = zeros.mutableSpan
        try aead.seal(&span, associatedData: 0..<0, plaintext: 0..<32, nonce: UInt64.max)
        key = Array(zeros.prefix(32))
        aead = try suite.makeKey(key, crypto)
    }
}
