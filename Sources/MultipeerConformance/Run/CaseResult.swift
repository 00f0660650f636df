/// How one case went.
public struct CaseResult: Sendable {
    /// What is said of a peer.
    public enum Verdict: String, Sendable, CaseIterable {
        /// The peer showed that it does what is asked.
        case passed
        /// The peer showed that it does not, or did not show in time that it does.
        case failed
        /// The case does not apply to this peer.
        case skipped
        /// The case did not come so far as to ask.
        case inconclusive
    }

    public let conformanceCase: ConformanceCase
    public let verdict: Verdict
    /// What came, or why nothing is said: one line.
    public let came: String
    /// What passed on the wire, decoded.
    public let trace: [TraceLine]
    public let duration: Duration
}
