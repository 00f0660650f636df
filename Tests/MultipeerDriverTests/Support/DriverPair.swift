import MultipeerCore
import MultipeerDriver
import Testing

/// Two drivers, joined in memory, on a virtual clock.
final class DriverPair {
    let anna: DriverSide
    let ben: DriverSide
    private(set) var now = Instant(nanoseconds: 1_000)
    /// Whether the network passes packets of UDP.
    var carriesDatagrams = true

    init(
        configure: (inout LinkConfiguration) -> Void = { _ in },
        anna annaOptions: (inout DriverOptions) -> Void = { _ in },
        ben benOptions: (inout DriverOptions) -> Void = { _ in }
    ) throws {
        anna = DriverSide(.initiator, try Parties.configuration("Anna", configure), at: now, options: annaOptions)
        ben = DriverSide(.responder, try Parties.configuration("Ben", configure), at: now, options: benOptions)
        try anna.driver.perform(at: now) { (link, now) throws(RequestError) in
            try link.invite(Parties.invitation, at: now)
        }
    }

    /// A pair whose session is open.
    static func opened(
        anna: (inout DriverOptions) -> Void = { _ in }, ben: (inout DriverOptions) -> Void = { _ in }
    ) throws -> DriverPair {
        let pair = try DriverPair(anna: anna, ben: ben)
        pair.run()
        try #require(pair.anna.driver.stage == .open && pair.ben.driver.stage == .open)
        return pair
    }

    /// Carries bytes both ways until nothing moves any more.
    func run() {
        var moves = true
        while moves {
            moves = false
            for (side, peer) in [(anna, ben), (ben, anna)] {
                if side.drain(at: now) { moves = true }
                if side.read(from: peer, at: now) { moves = true }
                if carriesDatagrams, side.receiveDatagrams(from: peer, at: now) { moves = true }
            }
        }
    }

    /// Lets time pass. Deadlines that it reaches fire in order.
    func advance(by duration: Duration) {
        let target = now.advanced(by: duration)
        while let next = [anna, ben].compactMap({ $0.isClosed ? nil : $0.driver.deadline }).min(), next <= target {
            now = max(now, next)
            for side in [anna, ben] where side.driver.deadline.map({ $0 <= now }) == true {
                side.driver.timeout(at: now)
            }
            run()
        }
        now = target
        run()
    }
}
