import Glibc

/// The environment variables of this process. The process never changes them.
package enum Environment {
    package static subscript(name: String) -> String? {
        // SAFETY: the C string lives for the call, and the result is copied at once.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }
}
