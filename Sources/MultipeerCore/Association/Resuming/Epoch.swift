/// How often both peers have seen an association continue (SPEC §13.9): what tells a new RESUME from an old one.
struct Epoch: Sendable {
    /// The local peer's own.
    private(set) var own: UInt64 = 0
    /// The greatest that the remote peer has shown.
    private(set) var shown: UInt64 = 0

    /// What RESUME of an epoch is.
    enum Judgement: Equatable {
        case newest
        /// No peer that keeps the rules is so far ahead.
        case malformed
        /// Its sender has shown a greater one since.
        case outdated
    }

    /// Judges RESUME of the peer (R13.9-5).
    func judge(_ epoch: UInt64) -> Judgement {
        if epoch > own + 1 { return .malformed }
        return epoch < shown ? .outdated : .newest
    }

    /// RESUME of the peer has come, and is not old.
    mutating func asked(_ epoch: UInt64) { shown = max(shown, epoch) }

    /// RESUME of the peer is answered by RESUMED. Returns what the peer shows by the first frame of an open link after that.
    mutating func answered(_ epoch: UInt64) -> UInt64 {
        own = epoch + 1
        return own
    }

    /// RESUMED of the peer has come, after RESUME of `epoch`.
    mutating func resumed(after epoch: UInt64) {
        own = epoch + 1
        shown = max(shown, own)
    }

    /// A frame of an open link has come after RESUMED of the local peer.
    mutating func confirmed(_ epoch: UInt64) { shown = max(shown, epoch) }
}
