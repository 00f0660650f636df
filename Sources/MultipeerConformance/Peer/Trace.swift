/// One thing that passed between tester and peer.
public struct TraceLine: Hashable, Sendable {
    /// Which way, or neither for what the tester did.
    public enum Direction: String, Sendable {
        case sent = "->"
        case received = "<-"
        case note = "--"
    }

    public let direction: Direction
    /// In words, without line feeds.
    public let text: String
}

/// What passed in a case. Each case has one, on its own thread.
final class Trace {
    private(set) var lines: [TraceLine] = []
    /// Beyond this the middle is of no use to anybody.
    private static let limit = 200

    func add(_ direction: TraceLine.Direction, _ text: String) {
        if lines.count < Self.limit { lines.append(TraceLine(direction: direction, text: text)) }
        if lines.count == Self.limit { lines.append(TraceLine(direction: .note, text: "and more")) }
    }
}
