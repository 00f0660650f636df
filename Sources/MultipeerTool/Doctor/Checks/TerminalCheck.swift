import Multipeer
import MultipeerTerminal

/// Whether text and questions can be shown here.
struct TerminalCheck: LocalCheck {
    var name: CheckName { .terminal }

    func look() -> CheckResult {
        let locale = TextLocale.current
        let terminal = Environment["TERM"] ?? ""
        var issues: [Issue] = []
        if !locale.isUTF8 {
            issues.append(
                .warning(
                    "the locale (\(SafeText.escape(locale.name ?? "none"))) is not one of UTF-8",
                    why: "Names of peers with other letters than English ones may look wrong.",
                    remedy: "Set one: export LANG=C.UTF-8."))
        }
        let isTerminal = StandardStream.input.isTerminal && StandardStream.error.isTerminal
        if isTerminal, ["", "dumb", "unknown"].contains(terminal) {
            issues.append(
                .warning(
                    "TERM says nothing of this terminal", why: "No colours and no bar of progress are shown.",
                    remedy: "Set it to what the terminal is: export TERM=xterm-256color."))
        }
        if let columns = StandardStream.error.size?.columns, columns < 60 {
            issues.append(
                .warning(
                    "the terminal has \(columns) columns", why: "Lists and the bar of progress do not fit.",
                    remedy: "Make the window wider: 80 columns are enough."))
        }
        let kind = isTerminal ? "a terminal (\(SafeText.escape(terminal)))" : "no terminal, so that nobody can be asked"
        return CheckResult(name, "\(kind), locale \(SafeText.escape(locale.name ?? "not set"))", issues)
    }
}
