import Glibc

/// Runs a program of the system and takes what it writes.
enum ProgramOutput {
    /// The output of a program that ends well within two seconds; nil otherwise. The call blocks.
    static func of(_ path: String, _ arguments: [String]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) else { return nil }
        defer { close(ends[0]) }
        let process = spawn(path, arguments, output: ends[1])
        close(ends[1])
        guard let process else { return nil }
        let text = read(ends[0], until: .now + .seconds(2))
        if text == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        // SAFETY: writes one number. The process is this one's own child, so nobody else waits for it.
        guard unsafe waitpid(process, &status, 0) == process, status == 0 else { return nil }
        return text
    }

    private static func makePipe(_ ends: inout [Int32]) -> Bool {
        // SAFETY: writes two descriptors.
        guard unsafe pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return true
    }

    private static func spawn(_ path: String, _ arguments: [String], output: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        // SAFETY: the actions are made here and freed below. Strings live until the call of posix_spawn is over.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        // Texts of the program are read by rules, so they must not be in another language.
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("LC_ALL=C"), nil]
        defer { for index in unsafe environment.indices { unsafe free(environment[index]) } }
        var process: pid_t = 0
        // SAFETY: both lists end with a null pointer.
        return unsafe posix_spawn(&process, path, &actions, nil, &words, &environment) == 0 ? process : nil
    }

    private static func read(_ descriptor: Int32, until end: ContinuousClock.Instant) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 4_194_304 {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let rest = (end - .now).components
            // SAFETY: one entry, as said.
            guard rest.seconds >= 0, rest.attoseconds >= 0, unsafe poll(&entry, 1, 100) >= 0 else { return nil }
            guard entry.revents != 0 else { continue }
            // SAFETY: writes at most as many bytes as there are.
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes.append(contentsOf: buffer[..<count])
        }
        return nil
    }
}
