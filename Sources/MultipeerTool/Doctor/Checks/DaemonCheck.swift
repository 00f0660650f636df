import Glibc
import Multipeer
import MultipeerDiscovery

/// What does multicast DNS here: the Avahi daemon or a responder inside the process; and what else uses its port.
struct DaemonCheck: LocalCheck {
    private static let configuration = "/etc/avahi/avahi-daemon.conf"

    let view: NetworkView

    var name: CheckName { .daemon }

    func look() -> CheckResult {
        let survey = AvahiSurvey.make()
        let sockets = SocketTable.datagramSockets(port: MulticastProbe.port)
        return Self.result(
            of: survey, SystemFile.values(Self.configuration), view, isPortFree: Self.canSharePort,
            owners: sockets.isEmpty ? nil : sockets.owners)
    }

    /// - Parameter owners: The owners of the sockets that have port 5353; nil for nobody's.
    static func result(
        of survey: AvahiSurvey, _ settings: [String: String], _ view: NetworkView, isPortFree: Bool, owners: String?
    ) -> CheckResult {
        var issues: [Issue] = []
        let port = owners.map { "; UDP port 5353 is used by \($0)" } ?? ""
        if let version = survey.daemonVersion {
            let seen = "the daemon of \(SafeText.escape(version)) runs, and is used"
            return CheckResult(.daemon, seen + port, denials(settings, view) + silence(settings))
        }
        if !survey.hasResponder {
            issues.append(
                .problem(
                    "no Avahi daemon runs, and libavahi-core is not installed",
                    why: "Nothing can find peers nearby, or advertise this one.",
                    remedy: "Install the package libavahi-core7, or avahi-daemon and start it."))
        }
        if case .noLibrary(let package)? = survey.daemonError {
            issues.append(
                .warning(
                    "the library for the Avahi daemon is not installed",
                    why: "If a daemon runs here, it cannot be used.", remedy: "Install the package \(package)."))
        }
        if !isPortFree {
            issues.append(
                .problem(
                    "UDP port 5353 is kept by \(owners ?? "another program"), which does not share it",
                    why: "A responder inside the process needs the port as well.",
                    remedy: "End that program, or have it share the port (SO_REUSEADDR), or run avahi-daemon."))
        }
        let way = survey.hasResponder ? "; a responder inside the process is used" : ""
        return CheckResult(.daemon, "no Avahi daemon runs" + way + port, issues)
    }

    /// Whether a responder would get the port, as those do that share it.
    private static var canSharePort: Bool {
        do throws(SocketError) {
            let socket = try ProbeSocket(isIPv4: true, isStream: false)
            try socket.sharePort()
            try socket.bind(to: .any(isIPv4: true, port: MulticastProbe.port))
            return true
        } catch {
            return error.number != EADDRINUSE
        }
    }

    /// Interfaces that the daemon's configuration leaves out.
    private static func denials(_ settings: [String: String], _ view: NetworkView) -> [Issue] {
        let list: (String) -> [String]? = { key in
            settings[key]?.split(separator: ",").map { String($0.trimmed) }
        }
        let (allowed, denied) = (list("allow-interfaces"), list("deny-interfaces") ?? [])
        let wanted = view.usable.filter { !$0.isLoopback || view.asked != nil }.map(\.name)
        let left = wanted.filter { denied.contains($0) || !(allowed?.contains($0) ?? true) }
        guard !left.isEmpty else { return [] }
        let names = left.map { SafeText.escape($0) }.joined(separator: ", ")
        let reason = "the daemon does not use \(names)"
        let why = "Peers there are not found, and do not find this one."
        let remedy = "Change allow-interfaces or deny-interfaces in \(configuration), and restart the daemon."
        return [
            left.count == wanted.count
                ? .problem(reason, why: why, remedy: remedy) : .warning(reason, why: why, remedy: remedy)
        ]
    }

    private static func silence(_ settings: [String: String]) -> [Issue] {
        let keys = ["disable-publishing", "disable-user-service-publishing"].filter {
            ["yes", "true", "1", "on"].contains(settings[$0]?.lowercased() ?? "")
        }
        guard let key = keys.first else { return [] }
        return [
            .problem(
                "the daemon publishes nothing for programs (\(key))", why: "Nobody finds this peer.",
                remedy: "Set \(key)=no in \(configuration), and restart the daemon.")
        ]
    }
}
