import Dispatch
import Glibc

/// A thread for work that may block for long, such as waiting for a person or for a slow reader. Shared pools would have
/// one thread less meanwhile.
package enum OwnThread {
    private final class Job: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread, and returns at once.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let job = unsafe Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        // SAFETY: the new thread takes over the reference to the job, and is the only one that uses it.
        let status = unsafe pthread_create(
            &thread, nil,
            { job in
                guard let job = unsafe job else { return nil }
                unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body()
                return nil
            }, job.toOpaque())
        if status == 0 {
            pthread_detach(thread)
        } else {
            // SAFETY: no thread has taken over the reference. A pool is better than nothing.
            let job = unsafe job.takeRetainedValue()
            DispatchQueue.global().async { job.body() }
        }
    }
}
