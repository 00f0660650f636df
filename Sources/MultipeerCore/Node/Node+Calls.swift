import MultipeerCrypto
import MultipeerWire

/// Calls: what the app waits for when it invites a peer that may invite as well. Several links decide (SPEC §8.7), and the
/// call ends when one of them is open, or none may open any more. Calls are looked at again after each input.
extension Node {
    /// The app waits to be connected with the peer of a link.
    mutating func beginCall(on link: NodeLink, in affiliation: Affiliation, within time: Duration) {
        calls.begin(
            Calls.Call(
                link: link.number, affiliation: affiliation, deadline: now.advanced(by: time), key: link.key))
    }

    /// Ends the calls whose outcome is known. Whether there were any.
    mutating func endCalls() -> Bool {
        guard !calls.isEmpty else { return false }
        var hasAny = false
        for call in calls.all {
            guard let outcome = outcome(of: call) else { continue }
            hasAny = true
            calls.remove(call.link)
            effects.append(.callEnded(call.link, outcome))
            // Another link has decided.
            if let link = links[call.link], !link.isUnderWay { close(link, .unneeded) }
        }
        return hasAny
    }

    /// The outcome of a call; nil if it is not known.
    private func outcome(of call: Calls.Call) -> CallOutcome? {
        let link = links[call.link]
        let key = call.key ?? link?.key
        if let key, !(link?.isAwaitingCode ?? false), hasOpenLink(to: key, in: call.affiliation) {
            return .connected(key)
        }
        guard let failure = call.failure else { return link.flatMap { isUnanswered($0, call) } }
        guard now < call.deadline, let key, mayConnect(key, call) else { return failure }
        return nil
    }

    /// The peer's INVITE has taken the place of the call's on its link, and the local app has not answered it in the call's time.
    private func isUnanswered(_ link: NodeLink, _ call: Calls.Call) -> CallOutcome? {
        guard now >= call.deadline, case .invited = link.state else { return nil }
        return .failed(.failed(LinkFailure(stage: link.link.stage, cause: .invitation(.noAnswer))))
    }

    private func hasOpenLink(to key: IdentityKey, in affiliation: Affiliation) -> Bool {
        others(to: key, in: affiliation).contains { $0.isOpen }
    }

    /// Whether a link, apart from the call's own, may connect the two.
    private func mayConnect(_ key: IdentityKey, _ call: Calls.Call) -> Bool {
        if others(to: key, in: call.affiliation).contains(where: { $0.number != call.link && $0.isUnderWay }) {
            return true
        }
        if isReconnecting(to: key, in: call.affiliation) { return true }
        guard call.isOvertaken else { return false }
        if sessions.group(of: call.affiliation).contains(where: { attempts.hasAny(to: key, in: $0.id) }) { return true }
        return links.all.contains { link in
            guard link.isAlive, link.number != call.link, case .accepted = link.origin, case .idle = link.state else {
                return false
            }
            return (link.key ?? key) == key
        }
    }

    // MARK: What links tell

    /// No INVITE of the app can go out on a link.
    mutating func cannotInvite(on link: NodeLink, _ error: NodeRequestError) {
        guard calls.contains(link.number) else { return effects.append(.notInvited(link.number, error)) }
        if let key = link.key { calls.identify(link.number, as: key) }
        calls.fail(link.number, .refused(error), isOvertaken: error == .alreadyLinked)
    }

    /// A link has ended: a call on it has failed, unless another link to the peer decides.
    mutating func noteEnd(of link: NodeLink, _ end: LinkEnd) {
        guard calls.contains(link.number) else { return }
        if let key = link.key { calls.identify(link.number, as: key) }
        let hasGivenWay = end.isGivenUpForAnother || link.closing == .duplicate
        calls.fail(link.number, .failed(end), isOvertaken: hasGivenWay && !link.isAwaitingCode)
        // A code says which peer is meant: no other link shows that it is this one.
        if link.isAwaitingCode { endCall(on: link.number) }
    }

    private mutating func endCall(on link: LinkNumber) {
        guard let failure = calls.all.first(where: { $0.link == link })?.failure else { return }
        calls.remove(link)
        effects.append(.callEnded(link, failure))
    }

    /// The connection to a peer was not made, or has ended. Calls that have waited for that hear why. Where one of the two peers refuses
    /// the other, no other call to it goes on.
    mutating func callsHear(of departure: Departure, _ end: LinkEnd, of key: IdentityKey, in affiliation: Affiliation) {
        guard !calls.isEmpty, !end.isGivenUpForAnother else { return }
        let isRefusal = departure == .refused || departure == .misbehaved
        let links = links
        calls.othersFail(
            { call in
                let link = links[call.link]
                guard (call.key ?? link?.key) == key, call.affiliation.isOneGroup(with: affiliation) else {
                    return false
                }
                if call.failure != nil { return true }
                guard isRefusal, let link else { return false }
                return !link.isUnderWay && !link.isAwaitingCode
            }, with: .failed(end))
    }
}

extension NodeLink {
    /// Whether a one-time code has to be right before the local INVITE goes out.
    var isAwaitingCode: Bool {
        switch state {
        case .planned(let plan): plan.code != nil
        case .preparing(let own): own.needsCode
        case .idle, .inviting, .invited, .agreed, .open, .over: false
        }
    }
}
