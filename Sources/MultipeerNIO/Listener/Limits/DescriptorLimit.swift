#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The number of descriptors that the process may have.
enum DescriptorLimit {
    /// The current limit, or nil if there is none.
    static var current: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        // SAFETY: getrlimit writes one rlimit.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < UInt64(Int32.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// How many descriptors no connection of a stranger may take, whatever else the process uses.
    private static let last = 8

    /// Whether the next descriptor would be one of the last. The system gives out the lowest one that is free.
    static var isNear: Bool {
        guard let current else { return false }
        // SAFETY: open reads a path that ends with a zero byte, and keeps no pointer.
        let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        // Where there is no such file, as in some sandboxes, nothing is known.
        guard next >= 0 else { return errno == EMFILE || errno == ENFILE }
        defer { close(next) }
        return Int(next) >= current - last
    }
}

extension ListenerLimits {
    /// Returns the limits with as many connections as `descriptors` allow.
    ///
    /// Without this, the process would run out of descriptors at the cost of whatever else it does: files, name
    /// resolution, its own connections.
    func fitting(descriptors: Int?) -> ListenerLimits {
        guard let descriptors else { return self }
        let available = descriptors - min(max(reservedDescriptors, 0), descriptors / 2)
        var limits = self
        limits.refusals = min(refusals, available / 8)
        let each = max(descriptorsPerConnection, 1)
        limits.connections = min(connections, (available - limits.refusals) / each)
        return limits
    }
}
