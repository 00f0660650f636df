import MultipeerCertificates

/// A Name (RFC 5280 §4.1.2.4): a sequence of relative names, each a set of attributes.
struct DistinguishedName: Hashable, Sendable {
    /// One attribute: type, and value in its DER form.
    struct Attribute: Hashable, Sendable {
        let type: ObjectIdentifier
        let tag: UInt8
        let value: [UInt8]

        /// The value prepared for comparison (RFC 5280 §7.1): case folded, runs of spaces made one, ends trimmed. Nil
        /// for string types that RFC 5280 lets nobody compare but byte by byte.
        var comparable: String? {
            switch tag {
            case DERTag.utf8String, DERTag.printableString, DERTag.ia5String: break
            default: return nil
            }
            guard let text = String(validating: value, as: UTF8.self) else { return nil }
            return text.lowercased().split(separator: " ").joined(separator: " ")
        }
    }

    /// The most relative names: a bound on the work, far above what is in use.
    static let maximumCount = 64

    /// DER of the whole name. Chaining compares it byte by byte, as GnuTLS and OpenSSL's issuers write it.
    let der: [UInt8]
    let relativeNames: [Set<Attribute>]

    var isEmpty: Bool { relativeNames.isEmpty }

    static func == (left: DistinguishedName, right: DistinguishedName) -> Bool { left.der == right.der }

    func hash(into hasher: inout Hasher) { hasher.combine(der) }

    /// RDNSequence ::= SEQUENCE OF SET SIZE (1..MAX) OF SEQUENCE { type, value }
    init(_ reader: inout DERReader) throws(CertificateRejection) {
        let element = try reader.next(DERTag.sequence)
        der = reader.whole(element)
        var sequence = reader.inside(element)
        var names: [Set<Attribute>] = []
        while !sequence.isAtEnd {
            guard names.count < Self.maximumCount else { throw .malformed }
            names.append(try Self.relativeName(&sequence))
        }
        relativeNames = names
    }

    private static func relativeName(_ sequence: inout DERReader) throws(CertificateRejection) -> Set<Attribute> {
        var set = try sequence.enter(DERTag.set)
        guard !set.isAtEnd else { throw .malformed }
        var attributes: Set<Attribute> = []
        while !set.isAtEnd {
            var fields = try set.enter(DERTag.sequence)
            let type = try fields.objectIdentifier()
            let value = try fields.next()
            try fields.finish()
            guard attributes.count < maximumCount else { throw .malformed }
            attributes.insert(Attribute(type: type, tag: value.tag, value: fields.content(value)))
        }
        return attributes
    }
}
