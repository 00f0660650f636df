public import MultipeerCrypto
import MultipeerWire

/// What becomes of a call: an invitation of the app that waits for whichever link connects the two peers
/// (``InvitationPatience/forConnection``).
@nonexhaustive
public enum CallOutcome: Hashable, Sendable {
    /// The peer is connected, on whichever link.
    case connected(IdentityKey)
    /// A link has ended so, and no other one to the peer may still open.
    case failed(LinkEnd)
    /// No INVITE could go out, and no other link to the peer may still open.
    case refused(NodeRequestError)
}

/// The calls whose outcome is not known yet.
struct Calls {
    /// A call.
    struct Call {
        /// The link on which the app has invited, whose number names the call.
        let link: LinkNumber
        /// The group in which the two are to be connected.
        let affiliation: Affiliation
        /// Until when the call waits for other links, and for the local app's answer to the peer.
        let deadline: Instant
        /// The peer, once it is known.
        var key: IdentityKey?
        /// Why the call's own link does not connect the two; nil as long as it may.
        var failure: CallOutcome?
        /// Whether the call's own link gave way to another one, which may not have shown yet what it is for.
        var isOvertaken = false
    }

    private(set) var all: [Call] = []

    var isEmpty: Bool { all.isEmpty }

    /// The deadlines that are still to come. Those that have passed are of calls that wait for their own links.
    func deadline(after now: Instant) -> Instant? { all.map(\.deadline).filter { $0 > now }.min() }

    func contains(_ link: LinkNumber) -> Bool { all.contains { $0.link == link } }

    mutating func begin(_ call: Call) { all.append(call) }

    /// The app waits no more, or knows the outcome.
    mutating func remove(_ link: LinkNumber) { all.removeAll { $0.link == link } }

    mutating func identify(_ link: LinkNumber, as key: IdentityKey) {
        change(link) { $0.key = key }
    }

    /// The call's own link does not connect the two. Only the first cause counts.
    mutating func fail(_ link: LinkNumber, _ failure: CallOutcome, isOvertaken: Bool) {
        change(link) { call in
            guard call.failure == nil else { return }
            (call.failure, call.isOvertaken) = (failure, isOvertaken)
        }
    }

    /// A link to the peer of other calls has ended, and none is under way.
    mutating func othersFail(
        _ calls: (Call) -> Bool, with failure: CallOutcome
    ) {
        for index in all.indices where calls(all[index]) {
            (all[index].failure, all[index].isOvertaken) = (failure, false)
        }
    }

    private mutating func change(_ link: LinkNumber, _ change: (inout Call) -> Void) {
        guard let index = all.firstIndex(where: { $0.link == link }) else { return }
        change(&all[index])
    }
}
