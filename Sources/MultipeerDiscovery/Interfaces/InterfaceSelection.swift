#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The interfaces of this host that discovery uses.
public enum InterfaceSelection: Hashable, Sendable {
    /// All that can be used.
    case all
    /// These, by name.
    case only([String])

    private static let variable = "MULTIPEER_INTERFACE"

    /// What the environment variable `MULTIPEER_INTERFACE` of this process says: names with commas in between. Without it, all.
    public static func standard() -> InterfaceSelection {
        // SAFETY: the C string lives for the call, and is copied at once.
        guard let text = unsafe getenv(variable) else { return .all }
        return standard(environment: [variable: unsafe String(cString: text)])
    }

    /// What that variable says in an environment.
    static func standard(environment: [String: String]) -> InterfaceSelection {
        guard let text = environment[variable], !text.isEmpty else { return .all }
        return .only(text.split(separator: ",").map { String($0.trimmingSpaces) })
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
