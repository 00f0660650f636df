import MultipeerCommandLine
import MultipeerTerminal

/// Says on the last lines of the terminal what a command waits for, until that has come. Without a terminal nothing is said; programs have
/// an event.
final class WaitingLine: Sendable {
    /// Nil where lines cannot be redrawn.
    private let bar: BarHandle?

    init(_ wait: Wait, _ output: Output) {
        bar = output.showsBars ? output.screen.beginBar() : nil
        bar?.show(wait.text)
        if output.isJSON {
            output.report(WaitingEvent(wait: wait))
        } else if bar == nil, output.verbosity != .quiet, StandardStream.error.isTerminal {
            output.note { $0.dim(wait.text) }
        }
    }

    /// It is waited for no more.
    func end() { bar?.end() }
}

/// What a command waits for. Names are safe to print.
enum Wait: Hashable, Sendable {
    /// That a peer is found.
    case search(String)
    /// The connection to a peer that was found.
    case connection(String)
    /// The answer of the remote person.
    case answer(String)

    var text: String {
        switch self {
        case .search(let name): "looking for \(name)…"
        case .connection(let name): "connecting with \(name)…"
        case .answer(let name): "waiting for \(name) to answer…"
        }
    }

    /// What is waited for, and from which peer, in events.
    fileprivate var members: [(String, JSON)] {
        switch self {
        case .search(let name): [("for", .string("peer")), ("name", .string(name))]
        case .connection(let name): [("for", .string("connection")), ("name", .string(name))]
        case .answer(let name): [("for", .string("answer")), ("name", .string(name))]
        }
    }
}

/// The same for programs.
private struct WaitingEvent: Report {
    let wait: Wait

    var members: [(String, JSON)] { [("event", .string("waiting"))] + wait.members }

    func text(_ palette: Palette) -> String { wait.text }
}
