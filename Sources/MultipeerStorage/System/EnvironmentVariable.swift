import Glibc

/// The environment variables of this process. The program must not change them meanwhile.
enum EnvironmentVariable {
    /// The value; nil for a variable that does not exist or is not UTF-8.
    static func value(of name: String) -> String? {
        // SAFETY: the C string lives for the call, and the result is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// Whether a variable is UTF-8 or does not exist.
    static func isText(_ name: String) -> Bool {
        // SAFETY: the C string lives for the call.
        unsafe getenv(name) == nil || value(of: name) != nil
    }
}
