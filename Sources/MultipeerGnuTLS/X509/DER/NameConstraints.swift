import MultipeerCertificates

/// NameConstraints (RFC 5280 §4.2.1.10).
struct NameConstraints: Sendable {
    let permitted: [GeneralName]
    let excluded: [GeneralName]

    /// > NameConstraints ::= SEQUENCE {
    /// >   permittedSubtrees [0] GeneralSubtrees OPTIONAL, excludedSubtrees [1] GeneralSubtrees OPTIONAL }
    init(_ value: inout DERReader) throws(CertificateRejection) {
        var fields = try value.enter(DERTag.sequence)
        permitted = try Self.subtrees(&fields, tag: DERTag.constructed(0))
        excluded = try Self.subtrees(&fields, tag: DERTag.constructed(1))
        try fields.finish()
        // > Conforming CAs MUST NOT issue certificates where name constraints is an empty sequence.
        guard !(permitted.isEmpty && excluded.isEmpty) else { throw .malformed }
    }

    /// > Within this profile, the minimum and maximum fields are not used with any name forms
    private static func subtrees(_ fields: inout DERReader, tag: UInt8) throws(CertificateRejection) -> [GeneralName] {
        guard let element = try fields.optional(tag) else { return [] }
        var list = fields.inside(element)
        guard !list.isAtEnd else { throw .malformed }
        var bases: [GeneralName] = []
        while !list.isAtEnd {
            guard bases.count < GeneralName.maximumCount else { throw .malformed }
            var subtree = try list.enter(DERTag.sequence)
            bases.append(try GeneralName(&subtree))
            try subtree.finish()
        }
        return bases
    }
}
