import Glibc
import MultipeerDiscovery

/// Sends a question of mDNS (RFC 6762) to its group on one interface, and receives it at another socket of this host.
///
/// The copy that this host gets of its own multicast passes the same filters as others': those of what goes out, and those of what
/// comes in. That shows what this host does, and not what the network does.
struct MulticastProbe: Sendable {
    enum Outcome: Equatable, Sendable {
        case received
        /// It could be sent, and did not come.
        case lost
        /// It could not be sent.
        case unsent(SocketError)
        /// The port, or the group, cannot be had.
        case unbound(SocketError)
    }

    static let port: UInt16 = 5353
    private static let attempts = 4
    private static let patience = Duration.milliseconds(250)

    let interface: NetworkInterface
    let isIPv4: Bool

    /// The group of mDNS.
    private var group: SocketName {
        isIPv4
            ? SocketName(address: [224, 0, 0, 251], port: Self.port)
            : SocketName(
                address: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB], port: Self.port,
                scope: interface.index)
    }

    /// Takes at most about a second. The call blocks.
    func run() -> Outcome {
        do throws(SocketError) {
            let receiver = try makeReceiver()
            return send(to: receiver)
        } catch {
            return .unbound(error)
        }
    }

    private func send(to receiver: borrowing ProbeSocket) -> Outcome {
        let question = Self.question(named: "doctor-" + String(UInt64.random(in: 0...UInt64.max), radix: 16))
        var failure: SocketError?
        for _ in 0..<Self.attempts {
            do throws(SocketError) {
                let sender = try makeSender()
                try sender.send(question, to: group)
                failure = nil
            } catch {
                failure = error
            }
            // Also after a failure: an address that was just given may not be usable at once.
            if receiver.receives(question, within: Self.patience) { return .received }
        }
        return failure.map { .unsent($0) } ?? .lost
    }

    /// Bound to the group and not to all addresses, so that it takes nothing that is meant for a responder.
    private func makeReceiver() throws(SocketError) -> ProbeSocket {
        let socket = try ProbeSocket(isIPv4: isIPv4, isStream: false)
        try socket.sharePort()
        try socket.bind(to: group)
        if isIPv4 {
            try socket.set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, to: request(joining: true))
        } else {
            var request = ipv6_mreq()
            unsafe withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { unsafe $0.copyBytes(from: group.address) }
            request.ipv6mr_interface = interface.index
            try socket.set(Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, to: request)
        }
        return socket
    }

    /// One hop, so that no router passes it on.
    private func makeSender() throws(SocketError) -> ProbeSocket {
        let socket = try ProbeSocket(isIPv4: isIPv4, isStream: false)
        if isIPv4 {
            try socket.set(Int32(IPPROTO_IP), IP_MULTICAST_IF, to: request(joining: false))
            try socket.set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, to: Int32(1))
            try socket.set(Int32(IPPROTO_IP), IP_MULTICAST_LOOP, to: Int32(1))
        } else {
            try socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, to: interface.index)
            try socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, to: Int32(1))
            try socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, to: Int32(1))
        }
        return socket
    }

    private func request(joining: Bool) -> ip_mreqn {
        var request = ip_mreqn()
        request.imr_ifindex = Int32(clamping: interface.index)
        guard joining else { return request }
        unsafe withUnsafeMutableBytes(of: &request.imr_multiaddr) { unsafe $0.copyBytes(from: group.address) }
        return request
    }

    /// A question for a service that nobody has, so that nobody answers (RFC 6762 §18, RFC 1035 §4.1).
    static func question(named name: String) -> [UInt8] {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let labels = [name, "_multipeer", "_tcp", "local"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        // TXT, IN.
        return header + labels + [0, 0, 16, 0, 1]
    }
}
