import MultipeerTestSupport

/// Runs the tool at a pseudo-terminal, by Python's `pty`.
enum Terminal {
    /// Whether there is a Python to do it.
    static let isAvailable =
        (try? MultipeerTestSupport.Tool.check("python3", ["-c", "import pty"])) != nil

    /// Copies all that the terminal shows to standard output; types the answer when the question appears.
    private static let script = """
        import os, pty, sys
        question, answer, command = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.environ.pop("NO_COLOR", None)
            os.execv(command[0], command)
        seen = b""
        while True:
            try:
                data = os.read(terminal, 4096)
            except OSError:
                break
            if not data:
                break
            os.write(1, data)
            seen += data
            if question and question in seen:
                os.write(terminal, answer)
                question = b""
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    static func start(_ arguments: [String], question: String = "", answer: String = "") throws -> Tool {
        try Tool(
            ["python3", "-c", script, question, answer, Tool.multipeer] + arguments, program: "/usr/bin/env")
    }
}
