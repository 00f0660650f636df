/// The peer that gives up a place where all are taken (R23.4-2). Nobody knows which peer has sent an advertisement, so
/// it counts where it says that its peer listens.
enum Crowding {
    /// One that has a place.
    struct Holder<ID, Source: Hashable> {
        let id: ID
        let source: Source
        /// Grows with each that comes.
        let order: Int
    }

    /// Returns the holder that gives up its place to a newcomer; nil if none does.
    ///
    /// A source that has most gives up its newest, so that a flood from one leaves a place to every other. Where each has one, the newest
    /// wins, but not over the very first: neither to come first nor to come last is enough to hide somebody.
    static func victim<ID, Source>(among holders: [Holder<ID, Source>], for newcomer: Source) -> ID? {
        let crowds = Dictionary(grouping: holders, by: \.source)
        let most = crowds.values.map(\.count).max() ?? 0
        guard most > 0, crowds[newcomer, default: []].count < most else { return nil }
        let crowd = holders.filter { crowds[$0.source, default: []].count == most }.sorted { $0.order < $1.order }
        return most > 1 ? crowd.last?.id : crowd.dropFirst().first?.id
    }
}
