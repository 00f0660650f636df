import Multipeer
import MultipeerClock
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerWire

/// Chats among peers nearby.
extension ChatRun {
    /// What a chat says of itself to everyone, and what its invitations are about.
    static let mark = "chat"

    /// Lets peers nearby find this one, and answers the inviters.
    func advertise(by finding: DiscoveryOptions, at place: Endpoint?) async throws(CommandFailure) -> Advertiser {
        let advertiser = Advertiser(
            of: session.peer, for: finding.service, info: [Self.mark: "1"], at: place,
            encryption: encryption,
            by: try finding.start())
        try await advertiser.begin(telling: output, at: place, by: finding)
        answerAll(advertiser.invitations)
        return advertiser
    }

    /// Finds the peers of these names, and invites all of them. A peer that cannot be invited is no reason to end a
    /// chat in which others are.
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
            // A peer that is in the chat already, by what an earlier run has kept, stays in it.
            guard session.isResumed else { throw error }
            warn(error)
        }
    }

    private func invite(_ peers: [NearbyPeer], by browser: Browser) async throws(CommandFailure) {
        var failures: [(name: String, failure: CommandFailure)] = []
        for peer in peers {
            do throws(MultipeerError) {
                try await invite(peer, by: browser)
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

    /// How often an invitation is repeated that failed because the peer was busy with another one, and how long it
    /// waits first.
    private static let repetitions = 5
    private static let pause: Duration = .seconds(1)

    /// Invites one peer. Two that invite each other may both hear at first that the other one is busy with the other
    /// invitation.
    private func invite(_ peer: NearbyPeer, by browser: Browser) async throws(MultipeerError) {
        wanted.insert(peer)
        let waiting = WaitingLine(.answer(peer.name), output)
        defer {
            waiting.end()
            wanted.remove(peer)
        }
        // It may have invited the local peer while the person typed its name.
        for other in invitations.peers where session.peer.tag(of: other.key) == peer.id {
            invitations.answer(other, isAccepted: true)
        }
        let question = NameQuestion(output: output)
        for repetition in 0...Self.repetitions {
            do throws(MultipeerError) {
                try await browser.invite(peer, to: session, context: Self.mark) {
                    await question.isMeant($0, as: peer)
                }
                return
            } catch {
                guard error.isCrossing, repetition < Self.repetitions, !session.isConnected(with: peer) else {
                    if session.isConnected(with: peer) { return }
                    throw error
                }
                try? await clock.sleep(for: Self.pause)
            }
        }
    }

    func warn(_ failure: CommandFailure) {
        output.warn("\(failure.phase): \(failure.reason). \(failure.remedy)")
    }
}

extension Multipeer.Session {
    /// Whether the peer of a tag is connected, in whatever way it came.
    fileprivate func isConnected(with peer: NearbyPeer) -> Bool {
        connectedPeers.contains { self.peer.tag(of: $0.id.key) == peer.id }
    }
}

extension MultipeerError {
    /// Whether it failed only because of another invitation between the same two.
    var isCrossing: Bool {
        switch cause {
        case .request(.alreadyLinked), .closed: true
        case .link(let failure):
            switch failure.cause {
            case .invitation(.peerBusy), .invitation(.superseded), .invitation(.withdrawn),
                .invitation(.withdrawnByPeer):
                true
            case .peerClosed(.duplicateLink), .peerClosed(.noError): true
            default: false
            }
        default: false
        }
    }
}
