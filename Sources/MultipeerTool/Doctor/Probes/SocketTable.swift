import Glibc
import Multipeer
import MultipeerCrypto

/// The sockets of this host by their ports (proc_net(5)), and whose they are as far as this user may know.
enum SocketTable {
    struct Entry: Equatable, Sendable {
        let user: UInt32
        let inode: UInt64

        /// `avahi-daemon (process 12)`, or the user alone where the process is another user's.
        var owner: String {
            guard let process = SocketTable.process(with: inode) else { return "a program of user \(user)" }
            return "\(process.name) (process \(process.number))"
        }
    }

    /// UDP sockets of others with this port. Those of this process are not meant: other checks try the port at the same time.
    static func datagramSockets(port: UInt16) -> [Entry] {
        let ownBefore = ownSockets
        let entries = entries(["udp", "udp6"], port) { _ in true }
        let own = ownBefore.union(ownSockets)
        return entries.filter { !own.contains("socket:[\($0.inode)]") }
    }

    /// The sockets that this process has open, as links in `/proc/self/fd`.
    private static var ownSockets: Set<String> {
        let folder = "/proc/self/fd"
        return Set(SystemFile.names(in: folder).compactMap { SystemFile.target(of: "\(folder)/\($0)") })
    }

    /// TCP sockets that listen at this port.
    static func listeners(port: UInt16) -> [Entry] { entries(["tcp", "tcp6"], port) { $0 == "0A" } }

    private static func entries(
        _ tables: [String], _ port: UInt16, where isWanted: (Substring) -> Bool
    ) -> [Entry] {
        tables.flatMap { table in
            SystemFile.lines("/proc/net/\(table)").dropFirst().compactMap { line in entry(line, port, isWanted) }
        }
    }

    /// Reads `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
    static func entry(_ line: Substring, _ port: UInt16, _ isWanted: (Substring) -> Bool) -> Entry? {
        let fields = line.split(separator: " ")
        guard fields.count >= 10, let digits = fields[1].split(separator: ":").last, UInt16(digits, radix: 16) == port,
            isWanted(fields[3]), let user = UInt32(fields[7]), let inode = UInt64(fields[9])
        else { return nil }
        return Entry(user: user, inode: inode)
    }

    /// The process that has the socket open; nil if it is not known to this user.
    private static func process(with inode: UInt64) -> (name: String, number: String)? {
        let socket = "socket:[\(inode)]"
        for number in SystemFile.names(in: "/proc") where number.allSatisfy(\.isNumber) {
            let folder = "/proc/\(number)/fd"
            for name in SystemFile.names(in: folder) where SystemFile.target(of: "\(folder)/\(name)") == socket {
                let program = SystemFile.text("/proc/\(number)/comm")?.split(separator: "\n").first ?? "?"
                return (SafeText.escape(String(program)), number)
            }
        }
        return nil
    }
}

extension [SocketTable.Entry] {
    /// Their owners, without repetition.
    var owners: String {
        var names: [String] = []
        for name in map(\.owner) where !names.contains(name) { names.append(name) }
        return names.joined(separator: ", ")
    }
}
