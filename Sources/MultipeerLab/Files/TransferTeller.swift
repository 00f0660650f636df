import MultipeerCommandLine
import MultipeerTransfers
import Synchronization

/// Tells how one file comes along.
final class TransferTeller: Sendable {
    private struct State {
        var isAccepted = false
        var isKept = false
        var lastPercent: UInt64?
    }

    private let session: Session
    private let direction: FileDirection
    private let name: String
    private let size: UInt64
    private let bar: TransferBar
    private let state = Mutex(State())

    init(_ session: Session, _ direction: FileDirection, name: String, size: UInt64) {
        self.session = session
        self.direction = direction
        self.name = name
        self.size = size
        bar = TransferBar(direction, session.output)
    }

    /// Whether the receiver has taken the file.
    var isAccepted: Bool { state.withLock(\.isAccepted) }

    /// Whether the receiver had the same file already.
    var isKept: Bool { state.withLock(\.isKept) }

    func tell(_ event: TransferEvent) {
        switch event {
        case .offered: break
        case .kept: state.withLock { $0.isKept = true }
        case .accepted(let offset):
            state.withLock { $0.isAccepted = true }
            if offset > 0 { session.tell(.fileResumed(direction, name: name, offset: offset, size: size)) }
        case .progress(let progress): show(FileProgress(progress, direction))
        case .leftOut(let omitted): session.tell(.leftOut(name: name, omitted))
        case .renamed(let names): session.tell(.namesDiffer(direction, name: name, Renaming(names)))
        }
    }

    /// The file has come to its end: its bar goes.
    func end() { bar.end() }

    /// A program gets one report a per cent, and a bar moves on in between.
    private func show(_ progress: FileProgress) {
        guard session.output.isJSON else { return bar.show(progress) }
        let isNew = state.withLock { state in
            defer { state.lastPercent = progress.percent }
            return progress.percent != state.lastPercent
        }
        if isNew { session.tell(.fileProgress(progress)) }
    }
}
