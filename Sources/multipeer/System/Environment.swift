import Glibc

/// The environment variables of this process. The process never changes them.
enum Environment {
    static subscript(name: String) -> String? {
        // SAFETY: the C string lives for the call, and the result is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        // Repaired text would name another folder.
        return unsafe String(validatingCString: value)
    }

    /// Whether a variable is UTF-8 or does not exist.
    static func isText(_ name: String) -> Bool {
        // SAFETY: the C string lives for the call.
        unsafe getenv(name) == nil || self[name] != nil
    }
}
