/// Why something cannot be advertised or looked for.
@nonexhaustive
public enum DiscoveryError: Error, Hashable, Sendable {
    /// This host has no such interface.
    case unknownInterface(String)
    /// The Avahi daemon of this host does not run, or has ended.
    case noDaemon
    /// A library of Avahi is not installed: the name of its package.
    case noLibrary(String)
    /// The multicast port 5353 cannot be used.
    case noNetwork
    /// All names that were tried are taken.
    case nameTaken
    /// Publishing is forbidden by the daemon's configuration.
    case notPermitted
    /// Publishing is over.
    case stopped
    /// Avahi reports another error, by its own text.
    case system(String)
}

extension DiscoveryError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String { "discovery: \(reason). \(remedy)" }

    /// What is wrong, in a clause.
    public var reason: String {
        switch self {
        case .unknownInterface(let name): "there is no interface \(name)"
        case .noDaemon: "the Avahi daemon does not run"
        case .noLibrary: "a library is missing"
        case .noNetwork: "UDP port 5353 cannot be used"
        case .nameTaken: "others use the name and all that were tried in its place"
        case .notPermitted: "the Avahi daemon does not publish for programs"
        case .stopped: "the advertisement was withdrawn"
        case .system(let text): "Avahi reports: \(text)"
        }
    }

    /// What a person can do, in a sentence without a full stop.
    public var remedy: String {
        switch self {
        case .unknownInterface: "`ip link` lists the interfaces of this host"
        case .noDaemon: "Start it, or use discovery inside the process"
        case .noLibrary(let package): "Install the package \(package)"
        case .noNetwork: "End the program that keeps it for itself"
        case .nameTaken: "Choose another name"
        case .notPermitted: "Allow it in avahi-daemon.conf ([publish])"
        case .stopped: "Advertise again"
        case .system: "Look at the log of avahi-daemon"
        }
    }
}
