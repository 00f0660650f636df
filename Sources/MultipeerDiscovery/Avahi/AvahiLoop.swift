internal import CAvahi
internal import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Avahi's event loop, in a thread of its own. Everything of Avahi is called in that thread: its loop (0.8) aborts if another thread
/// adds a descriptor while it waits, whatever lock that one holds.
///
/// `@unchecked Sendable`: nobody changes the pointer, and Avahi's functions that are called here may be called from any thread.
@safe final class AvahiLoop: @unchecked Sendable {
    private let poll: OpaquePointer

    /// Which thread the loop's is; zero until it has begun.
    private let thread = Atomic<UInt>(0)

    /// What is to be done in the loop's thread.
    @safe private final class Work {
        let body: @Sendable () -> Void
        let api: UnsafePointer<AvahiPoll>

        init(_ body: @escaping @Sendable () -> Void, _ api: UnsafePointer<AvahiPoll>) {
            self.body = body
            unsafe self.api = unsafe api
        }
    }

    /// Nil if the system has no memory for it.
    init?() {
        guard let poll = unsafe avahi_threaded_poll_new() else { return nil }
        unsafe self.poll = unsafe poll
    }

    deinit {
        let isOwnThread = thread.load(ordering: .relaxed) == Self.currentThread
        let address = unsafe UInt(bitPattern: poll)
        // A thread cannot wait for its own end: what was done last in the loop's may have had the last reference to the loop.
        guard isOwnThread else { return Self.end(address) }
        Task.detached { Self.end(address) }
    }

    /// Ends the thread of a loop that nobody has any more, and frees the loop.
    private static func end(_ address: UInt) {
        // SAFETY: it is the address of the poll, which `deinit` alone gives away, once.
        let poll = unsafe OpaquePointer(bitPattern: address)
        unsafe avahi_threaded_poll_stop(poll)
        unsafe avahi_threaded_poll_free(poll)
    }

    /// Begins to run. Before that, everything may be called in any one thread.
    func start() {
        unsafe avahi_threaded_poll_start(poll)
        post { [self] in thread.store(Self.currentThread, ordering: .relaxed) }
    }

    /// What Avahi's objects are made with.
    var api: UnsafePointer<AvahiPoll> { unsafe avahi_threaded_poll_get(poll) }

    /// Does something in the loop's thread, some time soon.
    func post(_ body: @escaping @Sendable () -> Void) {
        // A time that is over: the loop wakes up, and calls at once.
        post(body, at: timeval(tv_sec: 1, tv_usec: 0))
    }

    /// Does something in the loop's thread, after N milliseconds.
    func post(after milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        var time = timeval()
        unsafe avahi_elapse_time(&time, UInt32(clamping: milliseconds), 0)
        post(body, at: time)
    }

    private func post(_ body: @escaping @Sendable () -> Void, at time: timeval) {
        locked {
            let work = unsafe Unmanaged.passRetained(Work(body, api)).toOpaque()
            var time = time
            _ = unsafe api.pointee.timeout_new(api, &time, Self.callback, work)
        }
    }

    /// Runs something with the lock, which the loop's own thread has.
    private func locked<Result>(_ body: () -> Result) -> Result {
        guard thread.load(ordering: .relaxed) != Self.currentThread else { return body() }
        unsafe avahi_threaded_poll_lock(poll)
        defer { unsafe avahi_threaded_poll_unlock(poll) }
        return body()
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Does something in the loop's thread, and returns what comes of it.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in post { continuation.resume(returning: body()) } }
    }

    /// Reads something that changes in the loop's thread alone.
    func reading<Result>(_ body: () -> Result) -> Result { locked(body) }

    private static let callback: AvahiTimeoutCallback = { timeout, context in
        guard let context = unsafe context else { return }
        // SAFETY: `post` has retained the work for this one call.
        let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        unsafe work.api.pointee.timeout_free(timeout)
        work.body()
    }
}
