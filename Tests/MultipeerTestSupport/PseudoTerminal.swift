import Foundation

/// A program at a pseudo-terminal, by Python's `pty`, with a person who types when the terminal shows what is awaited.
package enum PseudoTerminal {
    /// Whether there is a Python to do it.
    package static let isAvailable = (try? Tool.check("python3", ["-c", "import pty"])) != nil

    /// What to do when the terminal shows a text, for which only what came after the last step counts.
    package struct Step: Encodable, Sendable {
        let text: String
        /// What is typed.
        let keys: String
        /// The signal that the program gets.
        let signal: Int32?

        package init(text: String, keys: String = "", signal: Int32? = nil) {
            (self.text, self.keys, self.signal) = (text, keys, signal)
        }
    }

    /// What kind of terminal it is.
    package struct Kind: Encodable, Sendable {
        /// `TERM`; `dumb` is one that cannot redraw lines.
        let name: String
        let columns: Int
        let rows: Int
        let hasColours: Bool

        package init(name: String = "xterm", columns: Int = 80, rows: Int = 24, hasColours: Bool = true) {
            (self.name, self.columns, self.rows, self.hasColours) = (name, columns, rows, hasColours)
        }
    }

    /// Ctrl-C.
    package static let interrupt = "\u{3}"

    /// The command that runs another one so, after `/usr/bin/env`.
    package static func arguments(_ command: [String], steps: [Step], kind: Kind) throws -> [String] {
        let steps = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        let kind = String(decoding: try JSONEncoder().encode(kind), as: UTF8.self)
        return ["python3", "-c", script, steps, kind] + command
    }

    private static let script = """
        import fcntl, json, os, pty, select, signal, struct, sys, termios
        steps, kind, command = json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
        ready, go = os.pipe()
        parent = os.getppid()
        pid, terminal = pty.fork()
        if pid == 0:
            os.read(ready, 1)
            # A thread of Dispatch, which may have started this, blocks all signals; SIGHUP has to end the program with its terminal.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            # By one of these the tests' process knows when this script has ended.
            os.closerange(3, 1024)
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
            if not select.select([terminal], [], [], 1)[0]:
                # Tests that were killed leave nothing behind.
                if os.getppid() != parent:
                    os.kill(pid, 9)
                continue
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
}
