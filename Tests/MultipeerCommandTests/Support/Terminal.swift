import Foundation
import MultipeerTestSupport

/// Runs the tool at a pseudo-terminal, by Python's `pty`.
enum Terminal {
    /// Whether there is a Python to do it.
    static let isAvailable =
        (try? MultipeerTestSupport.Tool.check("python3", ["-c", "import pty"])) != nil

    /// What to do when the terminal shows a text, for which only what came after the last step counts.
    struct Step: Encodable, Sendable {
        let text: String
        /// What is typed.
        var keys = ""
        /// The signal that the tool gets.
        var signal: Int32?
    }

    /// What kind of terminal it is.
    struct Kind: Encodable, Sendable {
        var name = "xterm"
        var columns = 80
        var rows = 24
        var hasColours = true
    }

    /// Ctrl-C.
    static let interrupt = "\u{3}"

    /// Copies all that the terminal shows to standard output, and does what the steps say. At the end it says on standard error whether
    /// the terminal is in the mode in which it was.
    private static let script = """
        import fcntl, json, os, pty, struct, sys, termios
        steps, kind, command = json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
        ready, go = os.pipe()
        pid, terminal = pty.fork()
        if pid == 0:
            os.read(ready, 1)
            os.environ["TERM"] = kind["name"]
            os.environ.pop("NO_COLOR", None)
            if not kind["hasColours"]:
                os.environ["NO_COLOR"] = "1"
            os.execvp(command[0], command)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", kind["rows"], kind["columns"], 0, 0))
        mode = termios.tcgetattr(terminal)
        os.write(go, b"x")
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
                if step.get("signal"):
                    os.kill(pid, step["signal"])
        os.write(2, b"same mode" if termios.tcgetattr(terminal) == mode else b"other mode")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        sys.exit(status if status >= 0 else 128 - status)
        """

    /// Starts the tool.
    ///
    /// - Parameter pipe: A command of the shell whose output is the tool's standard input, in place of the terminal.
    static func start(
        _ arguments: [String], steps: [Step] = [], kind: Kind = Kind(), pipe: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Tool {
        let steps = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        let kind = String(decoding: try JSONEncoder().encode(kind), as: UTF8.self)
        var command = [Tool.multipeer] + arguments
        if let pipe { command = ["sh", "-c", pipe + #" | exec "$0" "$@""#] + command }
        return try Tool(
            ["python3", "-c", script, steps, kind] + command, program: "/usr/bin/env", environment: environment)
    }
}
