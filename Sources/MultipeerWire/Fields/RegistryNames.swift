// The names that SPEC.md gives to numbers.

extension EncryptionPreference {
    /// The name in SPEC §8.2.
    public var name: String {
        switch self {
        case .none: "none"
        case .optional: "optional"
        case .required: "required"
        }
    }
}

extension EncryptionOutcome {
    /// The name in SPEC §8.3.
    public var name: String {
        switch self {
        case .readable: "readable"
        case .encrypted: "encrypted"
        }
    }
}

extension IdentityKind {
    /// In words.
    public var name: String {
        switch self {
        case .none: "no certificate"
        case .x509: "X.509 chain"
        }
    }
}

extension SessionKind {
    /// In words.
    public var name: String {
        switch self {
        case .existing: "existing session"
        case .new: "new session"
        case .members: "session of both"
        }
    }
}

extension ProtocolVersion {
    /// In words.
    public var name: String {
        switch self {
        case .draft04: "draft 04 of version 1"
        }
    }
}

extension Suite {
    /// The Noise protocol name of SPEC §7.2, which starts the transcript (Noise §8).
    public var name: String {
        switch self {
        case .chaChaPoly: "Noise_NN_25519_ChaChaPoly_SHA256"
        case .aesGCM: "Noise_NN_25519_AESGCM_SHA256"
        case .hybridChaChaPoly: "Noise_NN_25519+MLKEM768_ChaChaPoly_SHA256"
        case .hybridAESGCM: "Noise_NN_25519+MLKEM768_AESGCM_SHA256"
        }
    }
}

extension FileCancel.Reason {
    /// The name in SPEC §15.3.
    public var name: String {
        switch self {
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .storageFailed: "storage_failed"
        case .sourceFailed: "source_failed"
        case .hashMismatch: "hash_mismatch"
        case .tooLarge: "too_large"
        case .beginningDiffers: "beginning_differs"
        case .sourceChanged: "source_changed"
        case .noSpace: "no_space"
        case .noPermission: "no_permission"
        case .badManifest: "bad_manifest"
        case .interrupted: "interrupted"
        case .stalled: "stalled"
        }
    }
}

extension FileKind {
    /// In words.
    public var name: String {
        switch self {
        case .file: "file"
        case .executable: "executable file"
        case .folder: "folder"
        }
    }
}

extension CreditKind {
    /// The name in SPEC §13.3.
    public var name: String {
        switch self {
        case .messages: "messages"
        case .openings: "openings"
        case .offers: "offers"
        case .stream: "stream"
        case .file: "file"
        }
    }
}

extension Decline {
    /// The name in SPEC §8.4; an unknown reason is treated as *declined*.
    static func reasonName(_ reason: UInt8) -> String {
        switch reason {
        case 2: "busy"
        case 3: "encryption_policy"
        case 4: "timeout"
        case 6: "no_session"
        case 7: "full"
        default: "declined"
        }
    }
}

extension Refusal.Code {
    /// The name in SPEC §7.5.
    var registeredName: String? {
        switch rawValue {
        case 1: "unsupported_version"
        case 2: "unsupported_suite"
        case 3: "busy"
        case 4: "malformed_hello"
        default: nil
        }
    }
}

extension CloseCode {
    /// The name in SPEC §18.
    var registeredName: String? {
        for entry in Self.registry where entry.code.rawValue == rawValue { return entry.name }
        return nil
    }
}
