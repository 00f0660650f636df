public import MultipeerWire

/// The table of SPEC §11.
public enum EncryptionPolicy {
    /// How payload travels between peers with these preferences; nil means *refused*. Symmetric.
    public static func outcome(_ one: EncryptionPreference, _ other: EncryptionPreference) -> EncryptionOutcome? {
        switch (one, other) {
        case (.none, .none), (.none, .optional), (.optional, .none): .readable
        case (.optional, .optional), (.optional, .required), (.required, .optional), (.required, .required): .encrypted
        case (.none, .required), (.required, .none): nil
        }
    }
}
