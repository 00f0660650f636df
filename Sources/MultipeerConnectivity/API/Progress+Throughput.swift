public import Foundation

// Foundation has these properties on Apple's systems, and only their keys elsewhere.

extension Progress {
    /// How many bytes come in a second, over the last seconds; nil while it is too early to say.
    public var throughput: Int? { userInfo[.throughputKey] as? Int }

    /// How many seconds the rest takes at the present rate; nil while that is not known.
    public var estimatedTimeRemaining: TimeInterval? { userInfo[.estimatedTimeRemainingKey] as? TimeInterval }
}
