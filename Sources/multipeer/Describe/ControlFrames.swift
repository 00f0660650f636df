import MultipeerCertificates
import MultipeerCore
import MultipeerWire

// Descriptions of control frames, under the names of SPEC.md.

extension Close {
    var described: [DescribedField] { [DescribedField("code", .code(code.rawValue, digits: 2, name: code.name))] }
}

extension Proof {
    var described: [DescribedField] {
        [DescribedField("identityKey", .bytes(identityKey)), DescribedField("signature", .bytes(signature))]
    }
}

extension PeerInfo {
    var described: [DescribedField] {
        [
            DescribedField("displayName", .content(displayName)),
            DescribedField("maximumMessage", .number(maximumMessage)),
        ] + fields.described
    }
}

extension Invite {
    var described: [DescribedField] {
        [
            DescribedField("session", .bytes(session)), preference.described, identityKind.described,
            DescribedField("timeout", .number(timeout)), DescribedField("context", .content(context)),
        ] + fields.described
    }
}

extension Accept {
    var described: [DescribedField] {
        [
            preference.described, identityKind.described,
            DescribedField("outcome", .code(UInt64(outcome.rawValue), digits: 2, name: outcome.name)),
        ] + fields.described
    }
}

extension Decline {
    var described: [DescribedField] {
        switch self {
        case .declined: [DescribedField("reason", .word("declined"))]
        case .busy: [DescribedField("reason", .word("busy"))]
        case .encryptionPolicy(let preference):
            [DescribedField("reason", .word("encryption_policy")), preference.described]
        case .timeout: [DescribedField("reason", .word("timeout"))]
        case .superseded: [DescribedField("reason", .word("superseded"))]
        }
    }
}

extension Cancel {
    var described: [DescribedField] {
        switch self {
        case .cancelled: [DescribedField("reason", .word("cancelled"))]
        case .timeout: [DescribedField("reason", .word("timeout"))]
        }
    }
}

extension Certificates {
    var described: [DescribedField] {
        let name = SignatureAlgorithm(rawValue: algorithm)?.name ?? (algorithm == 0 ? "none" : "unknown")
        return [
            DescribedField("chain", .list(chain.map { .word("\($0.count) bytes of DER") })),
            DescribedField("algorithm", .code(UInt64(algorithm), digits: 4, name: name)),
            DescribedField("signature", .bytes(signature)),
        ]
    }
}

extension Ready {
    var described: [DescribedField] { [] }
}

extension FileOffer {
    var described: [DescribedField] {
        [
            DescribedField("id", .number(id)), DescribedField("size", .number(size)),
            DescribedField("name", .content(name)),
        ] + fields.described
    }
}

extension FileAccept {
    var described: [DescribedField] { [DescribedField("id", .number(id))] }
}

extension FileDone {
    var described: [DescribedField] { [DescribedField("id", .number(id))] }
}

extension FileEnd {
    var described: [DescribedField] { [DescribedField("id", .number(id)), DescribedField("sha256", .bytes(digest))] }
}

extension FileCancel {
    var described: [DescribedField] {
        [
            DescribedField("id", .number(id)),
            DescribedField("file", .word(isSendersFile ? "the sender's" : "the receiver's")),
            DescribedField("reason", .code(UInt64(reason.rawValue), digits: 2, name: reason.name)),
        ]
    }
}

extension [Field] {
    /// The described fields. There are none if the list is empty, as in version 1.
    fileprivate var described: [DescribedField] {
        guard !isEmpty else { return [] }
        return [
            DescribedField(
                "fields",
                .list(
                    map {
                        .list([
                            .code($0.type, digits: 2, name: $0.type % 32 == 31 ? "GREASE" : "unknown, ignorable"),
                            .content($0.value),
                        ])
                    }))
        ]
    }
}
