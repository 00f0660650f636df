/// The interfaces of this host that discovery uses.
public enum InterfaceSelection: Hashable, Sendable {
    /// All that can be used.
    case all
    /// These, by name.
    case only([String])

    /// What the environment variable `MULTIPEER_INTERFACE` says: names with commas in between. Without it, all.
    public static func standard(environment: [String: String]) -> InterfaceSelection {
        guard let text = environment["MULTIPEER_INTERFACE"], !text.isEmpty else { return .all }
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
