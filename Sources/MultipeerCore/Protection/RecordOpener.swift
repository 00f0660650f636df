public import MultipeerCrypto
public import MultipeerWire

/// The receiving half of record protection (SPEC §12).
///
/// A ``Link`` has one of its own. Public for embedders that run the handshake themselves, and for measurements:
///
/// ```swift
/// guard case .inInput(let header, let range) = try assembler.next(bytes, from: &offset) else { … }
/// try opener.open(header, record: bytes.extracting(range))
/// var frames = FrameCursor(opener.plaintext)            // of an encrypted record
/// ```
///
/// Keeps the memory of one plaintext, and allocates only until that is as long as the longest record that came.
public struct RecordOpener: ~Copyable {
    private var cipher: CipherState
    /// Plaintext of the last encrypted record; kept between records of one burst, dropped when the link idles.
    private var scratch: [UInt8] = []

    /// How many records have been opened: the counter of the next.
    public var counter: UInt64 { cipher.nonce }

    /// Begins with the receiving direction of a finished handshake.
    public init(cipher: consuming CipherState) {
        self.cipher = cipher
    }

    /// Verifies a whole record. For an encrypted one the frames are in ``plaintext`` afterwards; those of an
    /// authenticated one are where they stood, at ``authenticatedFrames(of:)``.
    ///
    /// `header` is the record's own, as the assembler checked it. Whether its kind is allowed now is the caller's question
    /// (R12.4-2).
    /// - Throws: `CryptoFailure.authenticationFailed`: nothing is released, and the counter stays (R12.4-1).
    public mutating func open(_ header: RecordHeader, record: Span<UInt8>) throws(CryptoFailure) {
        scratch = try takingPlaintext(header, record: record)
    }

    /// Verifies a record like ``open(_:record:)``, and returns the frames of an encrypted one, or nothing. Give the array back by
    /// ``recycle(_:)``.
    mutating func takingPlaintext(_ header: RecordHeader, record: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        let tag = record.count - aeadTagLength
        // After a failure, or after an authenticated record, the frames of an older record must not be taken again.
        var plaintext = takeScratch()
        switch header.kind {
        case .authenticated:
            try open(
                record.extracting(tag..<record.count), associatedData: record.extracting(0..<tag), into: &plaintext)
        case .encrypted, .hello, .refusal:
            let sealed = record.extracting(RecordHeader.length..<record.count)
            try open(sealed, associatedData: record.extracting(first: RecordHeader.length), into: &plaintext)
        }
        try RekeySchedule.apply(to: &cipher)
        return plaintext
    }

    /// Replaces the key, because the record that was opened last holds REKEY (R12.6-1).
    public mutating func rekey() throws(CryptoFailure) { try cipher.rekey() }

    /// The frames of the record that came last, if it was an encrypted one and verified; empty otherwise.
    public var plaintext: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { scratch.span }
    }

    /// Where the frames of a verified authenticated record are.
    public static func authenticatedFrames(of record: Span<UInt8>) -> Range<Int> {
        RecordHeader.length..<record.count - aeadTagLength
    }

    /// Keeps the memory of a handled record for the next one.
    mutating func recycle(_ bytes: consuming [UInt8]) { scratch = bytes }

    /// Drops memory that an idle link should not hold (DESIGN §6: 16 KiB).
    mutating func trim() {
        if scratch.capacity > 4_096 { scratch = [] }
    }

    /// The memory that is kept for the next record, in bytes.
    var keptCapacity: Int { scratch.capacity }

    private mutating func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, into plaintext: inout [UInt8]
    ) throws(CryptoFailure) {
        let length = sealed.count - aeadTagLength
        try plaintext.append(addingCapacity: length) { (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            try cipher.open(sealed, associatedData: associatedData, into: &output)
        }
    }

    private mutating func takeScratch() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &scratch)
        if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
        return taken
    }
}
