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
    public var description: String {
        switch self {
        case .unknownInterface(let name):
            "discovery: there is no interface \(name). `ip link` lists the interfaces of this host"
        case .noDaemon: "discovery: the Avahi daemon does not run. Start it, or use discovery inside the process"
        case .noLibrary(let package): "discovery: a library is missing. Install the package \(package)"
        case .noNetwork: "discovery: UDP port 5353 cannot be used. End the program that keeps it for itself"
        case .nameTaken: "discovery: others use the name and all that were tried in its place. Choose another name"
        case .notPermitted:
            "discovery: the Avahi daemon does not publish for programs. Allow it in avahi-daemon.conf ([publish])"
        case .stopped: "discovery: the advertisement was withdrawn. Advertise again"
        case .system(let text): "discovery: Avahi reports: \(text). Look at the log of avahi-daemon"
        }
    }
}
