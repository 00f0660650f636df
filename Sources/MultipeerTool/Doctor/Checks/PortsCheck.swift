import Glibc
import Synchronization

/// Whether the local peer can listen.
struct PortsCheck: LocalCheck {
    /// The port that was asked for; nil for one that the system chooses.
    let port: UInt16?

    /// The check of firewalls listens at the same port, and neither is to find the other there.
    static let turn = Mutex(())

    var name: CheckName { .ports }
    var limit: Duration { .seconds(8) }

    func look() -> CheckResult {
        let trials = Self.turn.withLock { _ in
            [true, false].map { isIPv4 in (isIPv4 ? "IPv4" : "IPv6", Self.bind(port ?? 0, isIPv4: isIPv4)) }
        }
        let words = trials.map { "\($0.0) \($0.1.map(Self.words) ?? "can be listened at")" }
        let range = SystemFile.text("/proc/sys/net/ipv4/ip_local_port_range")?.split { $0.isWhitespace } ?? []
        let place = port.map { "TCP port \($0)" } ?? "a TCP port of the system's choice"
        let seen =
            "\(place): \(words.joined(separator: ", "))"
            + (port == nil && range.count == 2 ? " (\(range[0]) to \(range[1]))" : "")
        return CheckResult(name, seen, issues(trials))
    }

    private static func bind(_ port: UInt16, isIPv4: Bool) -> SocketError? {
        do throws(SocketError) {
            let socket = try ProbeSocket(isIPv4: isIPv4, isStream: true)
            // As listeners do: a port that was left a moment ago can be used.
            try socket.set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
            try socket.bind(to: .any(isIPv4: isIPv4, port: port))
            return nil
        } catch {
            return error
        }
    }

    private static func words(_ error: SocketError) -> String {
        switch error.number {
        case EADDRINUSE: "is in use"
        case EACCES: "is not allowed"
        case EAFNOSUPPORT, EADDRNOTAVAIL: "is not there"
        default: error.text
        }
    }

    private func issues(_ trials: [(String, SocketError?)]) -> [Issue] {
        let why = "Peers connect to a TCP port of this host."
        let numbers = trials.compactMap { $0.1?.number }
        if numbers.contains(EADDRINUSE), let port {
            let owners = SocketTable.listeners(port: port).owners
            return [
                .problem(
                    "TCP port \(port) is in use" + (owners.isEmpty ? "" : " by \(owners)"), why: why,
                    remedy: "Choose another port, or end that program.")
            ]
        }
        if numbers.contains(EACCES) {
            let first = SystemFile.text("/proc/sys/net/ipv4/ip_unprivileged_port_start")?.split(separator: "\n").first
            return [
                .problem(
                    "this user may not listen at TCP port \(port ?? 0)", why: why,
                    remedy: "Choose a port from \(first ?? "1024") on.")
            ]
        }
        return trials.compactMap { family, error in
            guard let error else { return nil }
            let reason = "\(family): no port is available (\(error.text))"
            // IPv6 may be switched off on purpose.
            return numbers.count == trials.count
                ? .problem(reason, why: why, remedy: "Look at the interfaces of this host: ip address.")
                : .warning(
                    reason, why: "Peers that use \(family) alone cannot connect.",
                    remedy: "Switch \(family) on, if peers need it.")
        }
    }
}
