import Multipeer
import MultipeerClock
import MultipeerCommandLine

/// The peers nearby as lists from which a person chooses. The first one is in the order of names, so that the same peers have the same
/// numbers each time.
struct PeerLists: Sendable {
    /// How long others are waited for once somebody was found, before the first list: peers answer within 120 ms, each
    /// at a time of its own (RFC 6762 §6). A peer that is found later is listed after them.
    static let gathering: Duration = .milliseconds(500)

    let browser: Browser
    let output: Output
    var clock: any SteadyClock = ContinuousClock()

    /// All that there are, and again after each change. Nothing comes before somebody was found.
    var lists: AsyncStream<[NearbyPeer]> {
        let (lists, list) = AsyncStream.makeStream(of: [NearbyPeer].self)
        let telling = Task {
            var events = browser.events.makeAsyncIterator()
            while browser.peers.isEmpty, let event = await events.next() { tell(event) }
            try? await clock.sleep(for: Self.gathering)
            list.yield(browser.peers)
            while let event = await events.next() {
                tell(event)
                list.yield(browser.peers)
            }
            list.finish()
        }
        list.onTermination = { _ in telling.cancel() }
        return lists
    }

    private func tell(_ event: BrowserEvent) {
        if case .failed(let error) = event { output.warn(SafeText.escape("\(error)")) }
    }
}
