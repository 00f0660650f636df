/// How people have verified whose a key is (SPEC §25.1).
@nonexhaustive
public enum KeyVerification: String, Hashable, Sendable, CaseIterable {
    /// Two persons have compared a short string (SPEC §25.3).
    case shortString = "string"
    /// One has typed the code that the other one's screen showed (SPEC §25.4).
    case oneTimeCode = "code"
}
