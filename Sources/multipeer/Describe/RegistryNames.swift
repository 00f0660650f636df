import MultipeerCertificates
import MultipeerWire

// The names that SPEC.md gives to numbers.

extension EncryptionPreference {
    var name: String {
        switch self {
        case .none: "none"
        case .optional: "optional"
        case .required: "required"
        }
    }

    var described: DescribedField { DescribedField("preference", .code(UInt64(rawValue), digits: 2, name: name)) }
}

extension EncryptionOutcome {
    var name: String {
        switch self {
        case .readable: "readable"
        case .encrypted: "encrypted"
        }
    }
}

extension IdentityKind {
    var described: DescribedField {
        let name =
            switch self {
            case .none: "no certificate"
            case .x509: "X.509 chain"
            }
        return DescribedField("identityKind", .code(UInt64(rawValue), digits: 2, name: name))
    }
}

extension SignatureAlgorithm {
    var name: String {
        switch self {
        case .ecdsaP256SHA256: "ECDSA P-256 with SHA-256"
        case .ecdsaP384SHA384: "ECDSA P-384 with SHA-384"
        case .rsaPSSSHA256: "RSASSA-PSS with SHA-256"
        case .ed25519: "Ed25519"
        }
    }
}

extension Suite {
    /// The Noise protocol name of SPEC §7.2.
    var name: String {
        switch self {
        case .chaChaPoly: "Noise_NN_25519_ChaChaPoly_SHA256"
        case .aesGCM: "Noise_NN_25519_AESGCM_SHA256"
        }
    }
}

extension FileCancel.Reason {
    /// The name in SPEC §15.3.
    var name: String {
        switch self {
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .storageFailed: "storage_failed"
        case .sourceFailed: "source_failed"
        case .hashMismatch: "hash_mismatch"
        case .tooLarge: "too_large"
        }
    }
}

extension Refusal.Code {
    /// The name in SPEC §7.5.
    var name: String {
        switch self {
        case .unsupportedVersion: "unsupported_version"
        case .unsupportedSuite: "unsupported_suite"
        case .busy: "busy"
        case .malformedHello: "malformed_hello"
        default: "unknown"
        }
    }
}
