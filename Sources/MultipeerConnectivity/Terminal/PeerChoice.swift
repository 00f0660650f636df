import Multipeer
import MultipeerTerminal

/// A person chooses peers to invite, again and again, until that is enough.
struct PeerChoice {
    /// How the list ends.
    enum End: Sendable {
        case done
        case cancelled
    }

    private let list: NearbyList
    private let session: MCSession
    private let browser: MCNearbyServiceBrowser
    /// How many peers there must be, and may be.
    private let limits: @Sendable () -> ClosedRange<Int>

    init(
        _ list: NearbyList, _ session: MCSession, _ browser: MCNearbyServiceBrowser,
        _ limits: @escaping @Sendable () -> ClosedRange<Int>
    ) {
        (self.list, self.session, self.browser, self.limits) = (list, session, browser, limits)
    }

    func run() async -> End {
        let picker = Picker<NearbyList.Choice>(
            on: ProcessTerminal.screen, question: "Invite whom? (Ctrl-D cancels) ",
            whenEmpty: "looking for peers nearby…")
        while !Task.isCancelled {
            let (lists, items) = AsyncStream.makeStream(of: [PickerItem<NearbyList.Choice>].self)
            list.show(in: items, least: { limits().lowerBound })
            let choice = await picker.choose(from: lists)
            list.show(in: nil, least: { 0 })
            items.finish()
            switch choice {
            case nil: return .cancelled
            case .done?: return .done
            case .peer(let number)?: invite(number)
            }
        }
        return .cancelled
    }

    private func invite(_ number: Int) {
        guard session.connectedPeers.count + 1 < limits().upperBound else {
            return ProcessTerminal.warn(
                "nobody else is invited: there may be at most \(limits().upperBound) peers")
        }
        guard let peer = list.beginInvitation(number) else { return }
        browser.invitePeer(peer, to: session, withContext: nil, timeout: 0)
    }
}
