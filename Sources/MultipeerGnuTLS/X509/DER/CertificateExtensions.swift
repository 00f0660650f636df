import MultipeerCertificates

/// The extensions of a certificate (RFC 5280 §4.2), each decoded strictly where a rule looks at it.
struct CertificateExtensions: Sendable {
    /// One extension as it is.
    struct Raw: Sendable {
        let identifier: ObjectIdentifier
        let isCritical: Bool
        /// Reads the content of `extnValue`.
        let value: DERReader
    }

    /// The most extensions of one certificate: a bound on the work, far above what is in use.
    static let maximumCount = 64

    let all: [Raw]
    let basicConstraints: BasicConstraints?
    /// The bits of RFC 5280 §4.2.1.3; nil without the extension.
    let keyUsage: Set<Int>?
    let extendedKeyUsage: [ObjectIdentifier]?
    let subjectAltNames: [GeneralName]?
    let nameConstraints: NameConstraints?
    let subjectKeyIdentifier: [UInt8]?
    let authorityKeyIdentifier: [UInt8]?

    /// BasicConstraints ::= SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }
    struct BasicConstraints: Sendable {
        let isAuthority: Bool
        let pathLength: Int?
    }

    /// Reads `[3] EXPLICIT SEQUENCE SIZE (1..MAX) OF Extension`, where there is one.
    init(_ tbs: inout DERReader, version: Int) throws(CertificateRejection) {
        all = tbs.isAtEnd ? [] : try Self.list(&tbs)
        guard all.isEmpty || version == 3 else { throw .malformed }
        let values = Values(all)
        basicConstraints = try values.decode(.basicConstraints, Self.basicConstraints)
        keyUsage = try values.decode(.keyUsage) { (value: inout DERReader) throws(CertificateRejection) in
            try value.namedBits()
        }
        extendedKeyUsage = try values.decode(.extendedKeyUsage, Self.purposes)
        subjectAltNames = try values.decode(.subjectAltName, GeneralName.list)
        nameConstraints = try values.decode(.nameConstraints) { (value: inout DERReader) throws(CertificateRejection) in
            try NameConstraints(&value)
        }
        subjectKeyIdentifier = try values.decode(.subjectKeyIdentifier) {
            (value: inout DERReader) throws(CertificateRejection) in
            value.content(try value.next(DERTag.octetString))
        }
        authorityKeyIdentifier =
            try values.decode(.authorityKeyIdentifier, Self.authorityKey).flatMap { $0.isEmpty ? nil : $0 }
    }

    func isCritical(_ identifier: ObjectIdentifier) -> Bool {
        all.contains { $0.identifier == identifier && $0.isCritical }
    }

    private static func list(_ tbs: inout DERReader) throws(CertificateRejection) -> [Raw] {
        var explicit = try tbs.enter(DERTag.constructed(3))
        var sequence = try explicit.enter(DERTag.sequence)
        try explicit.finish()
        guard !sequence.isAtEnd else { throw .malformed }
        var list: [Raw] = []
        while !sequence.isAtEnd {
            guard list.count < maximumCount else { throw .malformed }
            var fields = try sequence.enter(DERTag.sequence)
            let identifier = try fields.objectIdentifier()
            // > A certificate MUST NOT include more than one instance of a particular extension.
            guard !list.contains(where: { $0.identifier == identifier }) else { throw .malformed }
            let isCritical = fields.nextTag == DERTag.boolean ? try fields.boolean() : false
            let value = try fields.enter(DERTag.octetString)
            try fields.finish()
            list.append(Raw(identifier: identifier, isCritical: isCritical, value: value))
        }
        return list
    }

    private static func basicConstraints(
        _ value: inout DERReader
    ) throws(CertificateRejection) -> BasicConstraints {
        var fields = try value.enter(DERTag.sequence)
        let isAuthority = fields.nextTag == DERTag.boolean ? try fields.boolean() : false
        let pathLength = fields.nextTag == DERTag.integer ? try fields.smallInteger() : nil
        try fields.finish()
        return BasicConstraints(isAuthority: isAuthority, pathLength: pathLength)
    }

    /// ExtKeyUsageSyntax; an empty one is decoded here and refused by a rule, because it is DER but means nothing.
    private static func purposes(_ value: inout DERReader) throws(CertificateRejection) -> [ObjectIdentifier] {
        var sequence = try value.enter(DERTag.sequence)
        var list: [ObjectIdentifier] = []
        while !sequence.isAtEnd { list.append(try sequence.objectIdentifier()) }
        return list
    }

    /// The `keyIdentifier [0]` of an AuthorityKeyIdentifier; empty when it has none.
    private static func authorityKey(_ value: inout DERReader) throws(CertificateRejection) -> [UInt8] {
        var fields = try value.enter(DERTag.sequence)
        guard let key = try fields.optional(DERTag.context(0)) else { return [] }
        return fields.content(key)
    }
}

/// Looks extensions up and decodes them to the last byte.
private struct Values {
    private let all: [CertificateExtensions.Raw]

    init(_ all: [CertificateExtensions.Raw]) {
        self.all = all
    }

    func decode<Value>(
        _ identifier: ObjectIdentifier, _ body: (inout DERReader) throws(CertificateRejection) -> Value
    ) throws(CertificateRejection) -> Value? {
        guard let raw = all.first(where: { $0.identifier == identifier }) else { return nil }
        var reader = raw.value
        let value = try body(&reader)
        try reader.finish()
        return value
    }
}
