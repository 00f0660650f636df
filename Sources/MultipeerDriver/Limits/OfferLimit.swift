import MultipeerCore
import MultipeerCrypto
import MultipeerWire
import Synchronization

/// How many offers of one identity an app is asked about in a minute (SPEC §15.3). Links that share a limit share the count.
///
/// Offers that are taken back at once are questions all the same, and endless ones would be endless questions. An offer
/// whose file has come to its end does not count: the app is asked about all files of a peer that sends many.
public final class OfferLimit: Sendable {
    /// The limit of links whose options name no other.
    public static let process = OfferLimit()
    /// How many offers of one identity may fail in ``period``.
    public static let count = 32
    /// The time over which offers are counted.
    public static let period: Duration = .seconds(60)
    /// How many identities are remembered. One that is forgotten has waited longest, or everybody has.
    private static let identities = 4_096

    private let state = Mutex<[IdentityKey: [Instant]]>([:])

    /// Creates a limit that counts from nothing.
    public init() {}

    /// Counts an offer. Returns whether the app is asked.
    func admits(_ peer: IdentityKey, at now: Instant) -> Bool {
        state.withLock { offers in
            if offers[peer] == nil, offers.count >= Self.identities { Self.forget(&offers, at: now) }
            var times = offers[peer, default: []].filter { $0.advanced(by: Self.period) > now }
            let isAdmitted = times.count < Self.count
            if isAdmitted { times.append(now) }
            offers[peer] = times
            return isAdmitted
        }
    }

    /// A file that was offered has come to its end.
    func completed(_ peer: IdentityKey) {
        state.withLock { offers in
            guard var times = offers[peer], !times.isEmpty else { return }
            times.removeFirst()
            offers[peer] = times.isEmpty ? nil : times
        }
    }

    private static func forget(_ offers: inout [IdentityKey: [Instant]], at now: Instant) {
        offers = offers.filter { $0.value.last.map { $0.advanced(by: Self.period) > now } ?? false }
        guard offers.count >= Self.identities else { return }
        let oldest = offers.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
        if let oldest { offers[oldest.key] = nil }
    }
}

extension LinkDriver {
    /// Passes a file's event on, unless the peer asks too much.
    func deliver(_ event: IncomingFileEvent, at now: Instant) {
        switch event {
        case .offered(let offer):
            guard let peer, !offers.admits(peer, at: now) else { break }
            context.unseenOffers.insert(offer.file)
            // Nobody has declined it.
            try? link.refuseFile(offer.file, reason: .interrupted, at: now)
            return
        case .complete:
            if let peer { offers.completed(peer) }
        case .ended(let file, _, _):
            if context.unseenOffers.remove(file) != nil { return }
        case .data: break
        }
        events.push(.incomingFile(event))
    }
}
