import Glibc
import MultipeerCommandLine

/// The system's error number for a call on a socket.
struct SocketError: Error, Equatable {
    let number: Int32

    static var last: SocketError { SocketError(number: errno) }

    var text: String { SystemText.describe(number) }
}

/// An IP address and a port, as sockets take them.
struct SocketName: Equatable, Sendable {
    /// 4 or 16 bytes.
    let address: [UInt8]
    let port: UInt16
    /// The interface of an IPv6 address of one link; 0 for others.
    var scope: UInt32 = 0

    static func any(isIPv4: Bool, port: UInt16) -> SocketName {
        SocketName(address: [UInt8](repeating: 0, count: isIPv4 ? 4 : 16), port: port)
    }

    /// Runs `body` with the system's own form.
    func withNative<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if address.count == 4 {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &name.sin_addr) { unsafe $0.copyBytes(from: address) }
            return unsafe Self.rebound(&name, body)
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        name.sin6_scope_id = scope
        unsafe withUnsafeMutableBytes(of: &name.sin6_addr) { unsafe $0.copyBytes(from: address.prefix(16)) }
        return unsafe Self.rebound(&name, body)
    }

    private static func rebound<Native, Result>(
        _ name: inout Native, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: &name) { pointer in
            // SAFETY: every address of a family begins like `sockaddr`, and the length says how much of it there is.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Native>.size))
            }
        }
    }
}

/// A socket of a probe. It never blocks, and closes with its last use.
struct ProbeSocket: ~Copyable {
    private let descriptor: Int32
    let isIPv4: Bool

    init(isIPv4: Bool, isStream: Bool) throws(SocketError) {
        self.isIPv4 = isIPv4
        let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        descriptor = socket(
            isIPv4 ? AF_INET : AF_INET6, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .last }
        // An IPv6 socket of its own: what it is bound to says nothing about IPv4.
        if !isIPv4 { try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 1) }
    }

    deinit { _ = close(descriptor) }

    // MARK: Options

    func set<Value>(_ level: Int32, _ option: Int32, to value: Value) throws(SocketError) {
        var value = value
        // SAFETY: reads one value, which lives for the call. The options here are numbers and C structures.
        let status = unsafe withUnsafeBytes(of: &value) { value in
            unsafe setsockopt(descriptor, level, option, value.baseAddress, socklen_t(value.count))
        }
        guard status == 0 else { throw .last }
    }

    /// Lets others use the same port, as long as they do as well.
    func sharePort() throws(SocketError) {
        try set(SOL_SOCKET, SO_REUSEADDR, to: Int32(1))
        try set(SOL_SOCKET, SO_REUSEPORT, to: Int32(1))
    }

    // MARK: Names

    func bind(to name: SocketName) throws(SocketError) {
        // SAFETY: the name lives for the call.
        guard unsafe name.withNative({ unsafe Glibc.bind(descriptor, $0, $1) }) == 0 else { throw .last }
    }

    /// The port that it is bound to.
    var port: UInt16? {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &name) { pointer in
            // SAFETY: writes at most `length` bytes, which the structure has.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard status == 0 else { return nil }
        // In both families the port follows the family, in network order.
        return unsafe withUnsafeBytes(of: &name) { UInt16(unsafe $0[2]) << 8 | UInt16(unsafe $0[3]) }
    }

    // MARK: Streams

    func listen() throws(SocketError) {
        guard Glibc.listen(descriptor, 4) == 0 else { throw .last }
    }

    /// Connects, and waits so long.
    func connect(to name: SocketName, patience: Duration) throws(SocketError) {
        // SAFETY: the name lives for the call.
        if unsafe name.withNative({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 { return }
        guard errno == EINPROGRESS else { throw .last }
        guard wait(for: POLLOUT, patience) else { throw SocketError(number: ETIMEDOUT) }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: writes one number.
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { throw .last }
        guard number == 0 else { throw SocketError(number: number) }
    }

    // MARK: Datagrams

    func send(_ bytes: [UInt8], to name: SocketName) throws(SocketError) {
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            // SAFETY: reads the bytes and the name, which live for the call.
            unsafe name.withNative { unsafe sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1) }
        }
        guard sent == bytes.count else { throw .last }
    }

    /// Whether these bytes come within a time. Others are dropped.
    func receives(_ bytes: [UInt8], within patience: Duration) -> Bool {
        let end = ContinuousClock.now + patience
        var buffer = [UInt8](repeating: 0, count: 9_000)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // SAFETY: writes at most as many bytes as there are.
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            if count >= 0, Array(buffer[..<count]) == bytes { return true }
            let rest = end - .now
            guard rest > .zero else { return false }
            if count < 0, !wait(for: POLLIN, rest) { return false }
        }
    }

    private func wait(for events: Int32, _ patience: Duration) -> Bool {
        let (seconds, attoseconds) = patience.components
        let milliseconds = max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        // SAFETY: one entry, as said.
        return unsafe poll(&entry, 1, Int32(clamping: milliseconds)) > 0
    }
}
