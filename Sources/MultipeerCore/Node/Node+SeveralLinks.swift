import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// Several links of one group to one peer, of which one may be open (SPEC §8.7).
extension Node {
    /// How long a peer may be silent on an open link while another of its INVITEs waits (R8.7-7).
    private static var probePatience: Duration { .seconds(2) }
    /// How long a link on which READY has gone out may take to open, while another one waits for it (R8.7-8).
    private static var readyPatience: Duration { .seconds(10) }

    /// The links of a group to a peer that the local peer has not given up, the oldest first.
    func others(to key: IdentityKey, in affiliation: Affiliation) -> [NodeLink] {
        links.links(of: key).filter { other in
            other.isAlive && (other.affiliation.map { affiliation.isOneGroup(with: $0) } ?? false)
        }
    }

    /// The other links of a link's group to its peer.
    func others(of link: NodeLink) -> [NodeLink] {
        guard let key = link.key, let affiliation = link.affiliation else { return [] }
        return others(to: key, in: affiliation).filter { $0 !== link }
    }

    // MARK: INVITE

    /// A peer that invites has given up what it invited to before (R8.7-5).
    mutating func replaceEarlier(by link: NodeLink) {
        guard let order = link.peerOrder else { return }
        for other in others(of: link) {
            guard let earlier = other.peerOrder, earlier < order else { continue }
            giveUp(other, for: link)
        }
    }

    /// Closes a link for another one. The app need not answer about it any more.
    private mutating func giveUp(_ link: NodeLink, for other: NodeLink) {
        let isAsked = link.peerInvitation?.isAsked ?? false
        close(link, .duplicate)
        if isAsked { effects.append(.invitationReplaced(link.number, by: other.number)) }
    }

    /// Lets an INVITE wait while another link is open, and asks the peer there whether it is there still (R8.7-7). Returns
    /// whether it waits.
    /// - Parameter terms: Those with which the app has accepted already.
    mutating func waitsForOther(_ link: NodeLink, acceptedWith terms: SessionTerms? = nil) -> Bool {
        guard var invitation = link.peerInvitation, let open = others(of: link).last(where: { $0.isOpen }) else {
            return false
        }
        if invitation.isAsked, terms == nil {
            effects.append(.invitationReplaced(link.number, by: open.number))
        }
        let isAskedAlready = invitation.isHeld
        invitation.wait = .link(terms)
        link.state = .invited(invitation)
        if !isAskedAlready { open.link.probe(within: Self.probePatience, at: now) }
        return true
    }

    /// The peer is there, on an open link: what it invites to beside that one has no place (R8.7-7).
    mutating func probeAnswered(on link: NodeLink) {
        for other in others(of: link) where other.peerInvitation?.isHeld ?? false { decline(other, .busy) }
    }

    /// A link to the peer has ended. What has waited for that goes on.
    mutating func othersMayGoOn(to key: IdentityKey) {
        for other in links.links(of: key) where other.isAlive {
            if case .link(let terms) = other.peerInvitation?.wait {
                if let terms { accept(other, with: terms) } else { judge(other) }
            }
            if let held = other.heldVerdict, !mustHoldReady(of: other) { give(held, on: other) }
        }
    }

    // MARK: READY

    /// Whether the local peer decides which of several links opens (SPEC §4.3).
    private func isController(to key: IdentityKey) -> Bool { self.key < key }

    /// Whether READY has to wait, because another link may open (R8.7-8).
    func mustHoldReady(of link: NodeLink) -> Bool {
        guard let key = link.key else { return false }
        return isController(to: key) && others(of: link).contains { $0.isReadySent }
    }

    /// A good verdict waits.
    mutating func hold(_ verdict: Verdict, for token: LinkToken, on link: NodeLink) {
        link.heldVerdict = NodeLink.HeldVerdict(
            verdict: verdict, token: token, deadline: now.advanced(by: Self.readyPatience))
        link.handle.noteChange()
    }

    /// The link on which READY went out has not opened in time.
    mutating func takeOver(by link: NodeLink) {
        for other in others(of: link) where other.isReadySent && !other.isOpen { close(other, .duplicate) }
        if let held = link.heldVerdict { give(held, on: link) }
    }

    private mutating func give(_ held: NodeLink.HeldVerdict, on link: NodeLink) {
        link.heldVerdict = nil
        guard link.isAlive else { return }
        do throws(RequestError) {
            try link.link.submitVerdict(held.verdict, for: held.token, at: now)
            link.isReadySent = true
        } catch {
            // Its time is over: the link reports its end.
        }
    }

    /// A link has opened: what was tried beside it is given up (R8.7-3).
    mutating func giveUpOthers(for link: NodeLink, of key: IdentityKey) {
        for other in others(of: link) where other.isUnderWay {
            if isController(to: key) || other.isOpen || other.waitingInvitation != nil {
                giveUp(other, for: link)
            } else if other.peerInvitation != nil {
                judge(other)
            }
        }
    }
}
