import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO

/// Chats among peers nearby.
extension ChatRun {
    /// What a chat says of itself to everyone, and what its invitations are about.
    static let mark = "chat"

    /// Lets peers nearby find this one, and answers whoever invites.
    func advertise(by finding: DiscoveryOptions, at place: Endpoint?) async throws(CommandFailure) -> Advertiser {
        let advertiser = Advertiser(
            of: session.peer, for: finding.service, info: [Self.mark: "1"], at: place?.description,
            encryption: encryption,
            by: try finding.start())
        try await advertiser.begin(telling: output, at: place)
        Task { [self] in
            await withDiscardingTaskGroup { group in
                for await incoming in advertiser.invitations { group.addTask { await answer(incoming) } }
            }
        }
        return advertiser
    }

    private func answer(_ incoming: IncomingInvitation) async {
        let invitation = incoming.invitation
        guard await letsIn(invitation.peer, .invitation, for: invitation.timeout) else { return incoming.decline() }
        if !incoming.accept(into: session) { output.warn("\(incoming.name) waits no longer") }
    }

    /// Finds the peers of these names, and invites all of them. Who cannot be invited is no reason to end a chat in which others are.
    func invite(
        _ names: [String], within patience: Duration, by finding: DiscoveryOptions
    ) async throws(CommandFailure) {
        guard !names.isEmpty else { return }
        do throws(CommandFailure) {
            try await finding.look(as: session.peer) { browser throws(CommandFailure) in
                let picker = PeerPicker(browser: browser, output: output, patience: patience, purpose: .chat)
                let peers = try await picker.find(names.map(PeerSearch.init(typed:)))
                try await invite(peers, by: browser)
            }
        } catch {
            // Who is in the chat already, by what an earlier run has kept, goes on.
            guard session.isResumed else { throw error }
            warn(error)
        }
    }

    private func invite(_ peers: [NearbyPeer], by browser: Browser) async throws(CommandFailure) {
        var failures: [(name: String, failure: CommandFailure)] = []
        for peer in peers {
            do throws(ConnectionError) {
                try await browser.invite(peer, to: session, context: Self.mark)
            } catch {
                failures.append((peer.name, CommandFailure(error, nearby: peer, policy)))
            }
        }
        guard let first = failures.first else { return }
        guard !session.connectedPeers.isEmpty else { throw first.failure }
        for (name, failure) in failures {
            output.warn("\(name) is not in the chat: \(failure.reason). \(failure.remedy)")
        }
    }

    func warn(_ failure: CommandFailure) {
        output.warn("\(failure.phase): \(failure.reason). \(failure.remedy)")
    }
}
