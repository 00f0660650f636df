import Foundation
import MultipeerTestSupport

/// An example at a pseudo-terminal, by Python's `pty`, with a person who types when the terminal shows what is awaited.
enum PersonAtTerminal {
    /// Whether there is a Python to do it.
    static let isAvailable = (try? Tool.check("python3", ["-c", "import pty"])) != nil

    /// What is typed when the terminal shows a text, for which only what came after the last step counts.
    struct Step: Encodable, Sendable {
        let text: String
        let keys: String

        init(_ text: String, _ keys: String) { (self.text, self.keys) = (text, keys) }
    }

    private static let script = """
        import json, os, pty, sys
        steps, command = json.loads(sys.argv[1]), sys.argv[3:]
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = sys.argv[2]
            os.environ["NO_COLOR"] = "1"
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
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        sys.exit(status if status >= 0 else 128 - status)
        """

    /// - Parameter kind: What kind of terminal it is; `dumb` is one that cannot redraw lines.
    static func start(
        _ program: String, _ arguments: [String], kind: String = "xterm", home: Scratch? = nil, steps: [Step]
    ) throws -> Program {
        let steps = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        let path = Program.folder.appendingPathComponent(program).path
        return try Program(
            "/usr/bin/env", ["python3", "-c", script, steps, kind, path] + arguments, home: home)
    }
}
