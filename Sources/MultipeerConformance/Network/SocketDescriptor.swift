import Glibc

/// A socket with one owner, which closes it when it goes. No call blocks longer than a deadline.
///
/// This is the C border of this target. Every call that takes an address or a buffer is here.
struct SocketDescriptor: ~Copyable, Sendable {
    private let number: Int32

    /// Takes over a descriptor, and makes it non-blocking.
    init(taking number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    deinit { _ = Glibc.close(number) }

    /// A new TCP socket.
    static func tcp(_ family: Int32) throws(NetworkError) -> SocketDescriptor {
        let number = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .system(errno: errno) }
        return SocketDescriptor(taking: number)
    }

    /// A new UDP socket.
    static func udp(_ family: Int32) throws(NetworkError) -> SocketDescriptor {
        let number = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .system(errno: errno) }
        return SocketDescriptor(taking: number)
    }

    /// Sets an integer option. A refusal by the system is ignored.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        // SAFETY: the system reads one Int32, which outlives the call.
        _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Waits for `events` of `poll`.
    func wait(for events: Int32, until deadline: Deadline) throws(NetworkError) {
        while true {
            var entry = pollfd(fd: number, events: Int16(events), revents: 0)
            let milliseconds = deadline.milliseconds
            // SAFETY: one pollfd, which outlives the call.
            let status = unsafe poll(&entry, 1, milliseconds)
            if status > 0 { return }
            if status == 0 { throw .timedOut }
            guard errno == EINTR else { throw .system(errno: errno) }
        }
    }

    /// Connects, and waits until that is done.
    func connect(_ address: borrowing ResolvedAddress, until deadline: Deadline) throws(NetworkError) {
        // SAFETY: address and length belong together, and outlive the call.
        if unsafe address.withAddress({ unsafe Glibc.connect(number, $0, $1) }) == 0 { return }
        guard errno == EINPROGRESS else { throw .system(errno: errno) }
        try wait(for: POLLOUT, until: deadline)
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the system writes one Int32 and its length, which outlive the call.
        guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &length) == 0, failure == 0 else {
            throw .system(errno: failure)
        }
    }

    /// Takes an address of this host.
    func bind(to address: borrowing ResolvedAddress) throws(NetworkError) {
        // SAFETY: address and length belong together, and outlive the call.
        guard unsafe address.withAddress({ unsafe Glibc.bind(number, $0, $1) }) == 0 else {
            throw .system(errno: errno)
        }
    }

    /// Listens at an address.
    func listen(at address: borrowing ResolvedAddress) throws(NetworkError) {
        try bind(to: address)
        guard Glibc.listen(number, 16) == 0 else { throw .system(errno: errno) }
    }

    /// Which address of a socket is asked for.
    enum End { case local, remote, sender }

    /// Its own address, that of its peer, or that from which the next packet has come, which stays.
    func address(of end: End) throws(NetworkError) -> ResolvedAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            // SAFETY: sockaddr_storage has room for every address, and its length is passed along.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int in
                switch end {
                case .local: Int(unsafe getsockname(number, address, &length))
                case .remote: Int(unsafe getpeername(number, address, &length))
                // Nothing of the packet is wanted.
                case .sender: min(0, unsafe recvfrom(number, nil, 0, Int32(MSG_PEEK), address, &length))
                }
            }
        }
        guard status == 0 else { throw .system(errno: errno) }
        // SAFETY: the system has set so many bytes of it.
        let bytes = unsafe withUnsafeBytes(of: storage) { unsafe [UInt8]($0.prefix(Int(length))) }
        return ResolvedAddress(bytes: bytes, family: Int32(storage.ss_family))
    }

    /// The port that the system chose.
    func localPort() throws(NetworkError) -> UInt16 { try address(of: .local).port }

    /// The next connection.
    func accept(until deadline: Deadline) throws(NetworkError) -> SocketDescriptor {
        while true {
            try wait(for: POLLIN, until: deadline)
            let accepted = Glibc.accept(number, nil, nil)
            if accepted >= 0 { return SocketDescriptor(taking: accepted) }
            guard errno == EAGAIN || errno == EINTR || errno == ECONNABORTED else { throw .system(errno: errno) }
        }
    }

    /// Sends a part of `bytes` from `start` on. Returns nil if there is no room now.
    func send(_ bytes: [UInt8], from start: Int) throws(NetworkError) -> Int? {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
            // SAFETY: start and length lie inside of the array, which outlives the call.
            return unsafe Glibc.send(number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw .system(errno: errno) }
        return nil
    }

    /// Receives what is there. Returns no bytes at the end of the stream, and nil if nothing is there now.
    func receive() throws(NetworkError) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            // SAFETY: the buffer is ours, and its capacity is passed along.
            let received = unsafe recv(number, buffer.baseAddress, buffer.count, 0)
            failure = received < 0 ? errno : 0
            count = max(received, 0)
        }
        if failure == 0 { return bytes }
        guard failure == EAGAIN || failure == EINTR else { throw .system(errno: failure) }
        return nil
    }

    /// Ends the sending direction.
    func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }
}

/// The addresses that belong to a host and a port, one at a time.
struct ResolvedAddress: ~Copyable {
    private var bytes: [UInt8]
    let family: Int32

    fileprivate init(bytes: [UInt8], family: Int32) { (self.bytes, self.family) = (bytes, family) }

    /// The port, which in both families follows the family.
    var port: UInt16 {
        get { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }
        set { (bytes[2], bytes[3]) = (UInt8(newValue >> 8), UInt8(truncatingIfNeeded: newValue)) }
    }

    /// Tries `use` with each address until one works. If none does, throws the last error.
    static func first<Result: ~Copyable>(
        of host: String, port: UInt16, _ use: (borrowing ResolvedAddress) throws(NetworkError) -> Result
    ) throws(NetworkError) -> Result {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        // SAFETY: C strings for the length of the call; the list is freed below.
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { throw .unknownHost }
        defer { unsafe freeaddrinfo(list) }
        var trouble = NetworkError.unknownHost
        var entry: UnsafeMutablePointer<addrinfo>?
        unsafe entry = list
        while let current = unsafe entry {
            // SAFETY: the entries of the list live until it is freed.
            let info = unsafe current.pointee
            unsafe entry = info.ai_next
            guard let address = unsafe info.ai_addr else { continue }
            // SAFETY: the list says how long the address is.
            let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
            do throws(NetworkError) {
                return try use(ResolvedAddress(bytes: bytes, family: unsafe info.ai_family))
            } catch {
                trouble = error
            }
        }
        throw trouble
    }

    /// Passes the address to a C function.
    borrowing func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var storage = sockaddr_storage()
        let length = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &storage) { buffer in
            for index in 0..<length { unsafe buffer[index] = bytes[index] }
            // SAFETY: sockaddr_storage is aligned for every address; `length` bytes of it are set.
            return unsafe buffer.withMemoryRebound(to: sockaddr.self) { address in
                guard let start = address.baseAddress else { return -1 }
                return unsafe body(start, socklen_t(length))
            }
        }
    }
}
