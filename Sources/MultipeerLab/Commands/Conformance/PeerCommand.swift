import Glibc
import MultipeerConformance
import Synchronization

/// Runs the command of `--peer-command` for each connection. Afterwards it kills the command and everything that it
/// started.
final class PeerCommand: PeerLauncher {
    private let text: String
    private let showsOutput: Bool
    /// The processes that this object started and that have not ended. Each leads a process group of its own.
    private let running = Mutex<[pid_t]>([])

    init(text: String, showsOutput: Bool) {
        self.text = text
        self.showsOutput = showsOutput
    }

    deinit { finish() }

    func launch(port: UInt16) {
        guard let process = spawn() else { return }
        running.withLock { $0.append(process) }
    }

    func finish() {
        let processes = running.withLock { running in
            defer { running = [] }
            return running
        }
        for process in processes {
            // The case is over and its socket is closed, so nothing that the peer might still do counts.
            _ = kill(-process, SIGKILL)
            var status: Int32 = 0
            // SAFETY: writes one Int32. The process was started here, so nobody else waits for it.
            while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        }
    }

    private func spawn() -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // SAFETY: both are initialised here, used by one call, and destroyed; C strings live for the length of the calls.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if showsOutput {
            // Standard output is for the tester's own results.
            unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        let words: [String] = ["sh", "-c", text]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer {
            for index in words.indices { unsafe free(arguments[index]) }
        }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
        return status == 0 ? process : nil
    }
}
