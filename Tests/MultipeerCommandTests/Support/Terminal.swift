import Foundation
import MultipeerTestSupport

/// Runs the tool at a pseudo-terminal, by Python's `pty`.
enum Terminal {
    /// Whether there is a Python to do it.
    static let isAvailable =
        (try? MultipeerTestSupport.Tool.check("python3", ["-c", "import pty"])) != nil

    /// What to type when the terminal shows a text, for which only what came after the last step counts.
    struct Step: Encodable, Sendable {
        let text: String
        let keys: String
    }

    /// Ctrl-C.
    static let interrupt = "\u{3}"

    /// Copies all that the terminal shows to standard output, and types what the steps say.
    private static let script = """
        import json, os, pty, sys
        steps, command = json.loads(sys.argv[1]), sys.argv[2:]
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
            while steps and steps[0]["text"].encode() in seen:
                step = steps.pop(0)
                seen = seen.partition(step["text"].encode())[2]
                os.write(terminal, step["keys"].encode())
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    static func start(
        _ arguments: [String], steps: [Step] = [], environment: [String: String] = [:]
    ) throws -> Tool {
        let steps = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        return try Tool(
            ["python3", "-c", script, steps, Tool.multipeer] + arguments, program: "/usr/bin/env",
            environment: environment)
    }
}
