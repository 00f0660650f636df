import MultipeerCertificates

/// One DER element: where its content and the whole of it lie in the buffer.
struct DERElement: Equatable {
    let tag: UInt8
    let content: Range<Int>
    let whole: Range<Int>
}

/// Walks DER (X.690 §10) strictly: definite lengths in their shortest form, low tag numbers, nothing left over.
///
/// Every certificate passes through here before libtasn1 sees a byte of it. The bytes are an array, so each access is
/// checked by the language as well.
struct DERReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, bytes.indices)
    }

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == end }

    /// The tag of the next element, or nil at the end.
    var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Reads the next element, whatever it is.
    mutating func next() throws(CertificateRejection) -> DERElement {
        let start = position
        let tag = try byte()
        // Tag numbers above 30 occur nowhere in a certificate.
        guard tag & 0x1F != 0x1F else { throw .malformed }
        let length = try length()
        guard length <= end - position else { throw .malformed }
        let content = position..<(position + length)
        position = content.upperBound
        return DERElement(tag: tag, content: content, whole: start..<position)
    }

    /// Reads the next element, which must have `tag`.
    mutating func next(_ tag: UInt8) throws(CertificateRejection) -> DERElement {
        guard nextTag == tag else { throw .malformed }
        return try next()
    }

    /// Reads the next element when it has `tag`.
    mutating func optional(_ tag: UInt8) throws(CertificateRejection) -> DERElement? {
        nextTag == tag ? try next() : nil
    }

    /// Reads the next element, which must have `tag`, and gives a reader of its content.
    mutating func enter(_ tag: UInt8) throws(CertificateRejection) -> DERReader {
        DERReader(bytes, try next(tag).content)
    }

    /// A reader of the content of `element`.
    func inside(_ element: DERElement) -> DERReader { DERReader(bytes, element.content) }

    /// The content bytes of `element`.
    func content(_ element: DERElement) -> [UInt8] { Array(bytes[element.content]) }

    /// The content bytes of `element`, not copied.
    func slice(_ element: DERElement) -> ArraySlice<UInt8> { bytes[element.content] }

    /// Tag, length and content of `element`.
    func whole(_ element: DERElement) -> [UInt8] { Array(bytes[element.whole]) }

    /// - Throws: ``CertificateRejection/malformed`` when something is left over.
    func finish() throws(CertificateRejection) {
        guard isAtEnd else { throw .malformed }
    }

    private mutating func byte() throws(CertificateRejection) -> UInt8 {
        guard position < end else { throw .malformed }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func length() throws(CertificateRejection) -> Int {
        let first = try byte()
        guard first & 0x80 != 0 else { return Int(first) }
        let count = first & 0x7F
        // 0x80 is BER's indefinite form; four bytes are more than any certificate here has.
        guard (1...4).contains(count) else { throw .malformed }
        var length = 0
        for _ in 0..<count { length = length << 8 | Int(try byte()) }
        let shortest = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4
        guard shortest == Int(count) else { throw .malformed }
        return length
    }
}
