import Glibc

/// The environment variables of this process, which never changes them.
enum Environment {
    static subscript(name: String) -> String? {
        // SAFETY: a C string for the length of the call; what it returns is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
