/// What a run of `DifferentialFuzzer` found.
public struct DifferentialReport: Sendable {
    /// Cases of one group.
    public struct Counts: Equatable, Sendable {
        public var agreed = 0
        public var different = 0
        /// Questions that cannot be asked, or about what an implementation lacks.
        public var skipped = 0

        public var compared: Int { agreed + different }
    }

    /// A way in which the implementations differ, with its first case made small.
    public struct Finding: Sendable {
        public let group: VectorGroupType
        /// Both verdicts, or the first thing that is not the same.
        public let kind: String
        /// The number of the case.
        public let number: Int
        public let params: JSONValue
        /// Of a stateless group.
        public let inputs: JSONValue?
        /// Of a script.
        public let steps: [JSONValue]?
        /// What the peer's records of a script hold, opened.
        public let records: [String]
        public let own: JSONValue
        public let other: JSONValue
        /// How many cases differed in this way.
        public internal(set) var count: Int
    }

    public internal(set) var counts: [VectorGroupType: Counts] = [:]
    public internal(set) var findings: [Finding] = []
    public let settings: DifferentialSettings
    public internal(set) var duration = Duration.zero
    /// Whether the run was given up because the other implementation did not start.
    public internal(set) var wasGivenUp = false

    init(settings: DifferentialSettings) { self.settings = settings }

    /// Over all groups.
    public var total: Counts {
        counts.values.reduce(into: Counts()) { total, counts in
            total.agreed += counts.agreed
            total.different += counts.different
            total.skipped += counts.skipped
        }
    }

    /// Whether there was something to compare, and it was all the same.
    public var isGood: Bool { total.compared > 0 && total.different == 0 && !wasGivenUp }

    /// The last line of every run.
    public var summary: String {
        let total = total
        return
            "\(total.compared) compared, \(total.agreed) agreed, \(total.different) different, \(total.skipped) skipped"
    }
}
