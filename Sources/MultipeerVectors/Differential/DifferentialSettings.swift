/// What a run of `DifferentialFuzzer` does.
public struct DifferentialSettings: Sendable {
    /// When a run ends.
    public enum Limit: Sendable {
        case count(Int)
        case time(Duration)
    }

    /// The same seed gives the same cases.
    public var seed: UInt64
    /// The number of the first case; a case depends on the seed, its number and the groups, and on nothing else.
    public var first: Int
    /// Groups to ask about; nil for all.
    public var groups: Set<VectorGroupType>?
    public var limit: Limit

    /// Creates a value from its parts.
    public init(
        seed: UInt64 = 1, first: Int = 0, groups: Set<VectorGroupType>? = nil, limit: Limit = .count(10_000)
    ) {
        self.seed = seed
        self.first = first
        self.groups = groups
        self.limit = limit
    }

    /// Groups that are asked about at all: a `Session` is two link scripts.
    public static let allGroups = VectorGroupType.allCases.filter { $0 != .session }
}
