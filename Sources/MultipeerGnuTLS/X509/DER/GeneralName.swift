import MultipeerCertificates

/// GeneralName (RFC 5280 §4.2.1.6).
enum GeneralName: Hashable, Sendable {
    case email([UInt8])
    case dns([UInt8])
    case directory(DistinguishedName)
    case uri([UInt8])
    /// The octets as they are: an address in a certificate, an address and a mask in a constraint.
    case ip([UInt8])
    /// otherName, x400Address, ediPartyName or registeredID, by its context tag number.
    case other(number: UInt8)

    /// The kinds that constraints are compared within.
    enum Kind: Hashable {
        case email, dns, directory, uri, ip
        case other(UInt8)
    }

    var kind: Kind {
        switch self {
        case .email: .email
        case .dns: .dns
        case .directory: .directory
        case .uri: .uri
        case .ip: .ip
        case .other(let number): .other(number)
        }
    }

    /// The most names in one extension: a bound on the work, far above what is in use.
    static let maximumCount = 1024

    /// Reads one name.
    init(_ reader: inout DERReader) throws(CertificateRejection) {
        let element = try reader.next()
        // [0] and [3] to [5] are constructed, the rest primitive; [4] is EXPLICIT because Name is a CHOICE.
        switch element.tag {
        case DERTag.context(1): self = .email(try Self.ascii(reader.content(element)))
        case DERTag.context(2): self = .dns(try Self.ascii(reader.content(element)))
        case DERTag.context(6): self = .uri(try Self.ascii(reader.content(element)))
        case DERTag.context(7): self = .ip(reader.content(element))
        case DERTag.context(8): self = .other(number: 8)
        case DERTag.constructed(0), DERTag.constructed(3), DERTag.constructed(5):
            self = .other(number: element.tag & 0x1F)
        case DERTag.constructed(4):
            var explicit = reader.inside(element)
            self = .directory(try DistinguishedName(&explicit))
            try explicit.finish()
        default:
            throw .malformed
        }
    }

    /// GeneralNames ::= SEQUENCE SIZE (1..MAX) OF GeneralName
    static func list(_ value: inout DERReader) throws(CertificateRejection) -> [GeneralName] {
        var sequence = try value.enter(DERTag.sequence)
        guard !sequence.isAtEnd else { throw .malformed }
        var names: [GeneralName] = []
        while !sequence.isAtEnd {
            guard names.count < maximumCount else { throw .malformed }
            names.append(try GeneralName(&sequence))
        }
        return names
    }

    /// IA5String. No NUL: a C library below this would end the string there.
    private static func ascii(_ bytes: [UInt8]) throws(CertificateRejection) -> [UInt8] {
        guard bytes.allSatisfy({ (0x01...0x7F).contains($0) }) else { throw .malformed }
        return bytes
    }
}
