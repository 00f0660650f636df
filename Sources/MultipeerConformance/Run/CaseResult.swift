/// The result of one case.
public struct CaseResult: Sendable {
    /// What a case says about a peer.
    public enum Verdict: String, Sendable, CaseIterable {
        /// The peer showed that it does what the case asks.
        case passed
        /// The peer showed that it does not, or it did not show in time that it does.
        case failed
        /// The case does not apply to this peer.
        case skipped
        /// The case did not reach the point at which it asks.
        case inconclusive
    }

    public let conformanceCase: ConformanceCase
    public let verdict: Verdict
    /// One line that says what came, or why the case says nothing.
    public let came: String
    /// What passed on the wire, decoded.
    public let trace: [TraceLine]
    public let duration: Duration
}
