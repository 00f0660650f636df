public import MultipeerCrypto
public import MultipeerWire

/// The sending half of record protection (SPEC §12): seals records in place where they are written.
///
/// A ``Link`` has one of its own. Public for embedders that run the handshake themselves, and for measurements:
///
/// ```swift
/// let start = RecordSealer.begin(in: &output)
/// output.append(copying: frames)                        // at most RecordHeader.maximumPlaintextLength bytes
/// try sealer.finish(.encrypted, from: start, in: &output)
/// ```
///
/// Counts its records and changes its key when SPEC §12.5 says so. Allocates nothing but for that.
public struct RecordSealer: ~Copyable {
    private var cipher: CipherState

    /// How many records have been sealed: the counter of the next.
    public var counter: UInt64 { cipher.nonce }

    /// Begins with the sending direction of a finished handshake.
    public init(cipher: consuming CipherState) {
        self.cipher = cipher
    }

    /// The bytes that a record needs beside its frames.
    public static let overhead = RecordHeader.length + aeadTagLength

    /// Begins a record at the end of `output`. Frames follow; then ``finish(_:from:in:)``.
    @_lifetime(output: copy output)
    public static func begin(in output: inout OutputSpan<UInt8>) -> Int {
        let start = output.count
        output.append(repeating: 0, count: RecordHeader.length)
        return start
    }

    /// Ends the record that began at `start`: writes the header, protects, appends the tag.
    ///
    /// - Precondition: `kind` is `encrypted` or `authenticated`, 2 … 65,516 bytes of frames follow the header, and
    ///   `output` has room for 16 bytes more.
    /// - Throws: `CryptoFailure`; what is there from `start` on is not to be sent then.
    @_lifetime(output: copy output)
    public mutating func finish(
        _ kind: RecordKind, from start: Int, in output: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        let frames = start + RecordHeader.length
        let end = output.count
        let header = RecordHeader(kind: kind, bodyLength: end - frames + aeadTagLength).bytes
        output.append(repeating: 0, count: aeadTagLength)
        var span = output.mutableSpan
        for index in 0..<RecordHeader.length { span[start + index] = header[index] }
        switch kind {
        case .authenticated:
            try cipher.seal(&span, associatedData: start..<end, plaintext: end..<end)
        case .encrypted, .hello, .refusal:
            try cipher.seal(&span, associatedData: start..<frames, plaintext: frames..<end)
        }
        try RekeySchedule.apply(to: &cipher)
    }

    /// Replaces the key, because the record that was sealed last holds REKEY (R12.6-1).
    public mutating func rekey() throws(CryptoFailure) { try cipher.rekey() }
}

/// When a direction changes its key (SPEC §12.5).
enum RekeySchedule {
    /// Records a key protects.
    static let interval: UInt64 = 65_536

    /// Rekeys if the record before was the last of its key (R12.5-1).
    static func apply(to cipher: inout CipherState) throws(CryptoFailure) {
        if cipher.nonce % interval == 0 { try cipher.rekey() }
    }
}
