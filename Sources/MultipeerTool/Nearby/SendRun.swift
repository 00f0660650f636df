import Multipeer
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerTransfers
import MultipeerWire

/// Sends files to one peer. It waits for its turn where the peer is busy, and connects again where the connection is lost: what has arrived is
/// not sent again (SPEC §15.7).
struct SendRun: Sendable {
    /// A file or folder, or the spooled standard input.
    struct Item: Sendable {
        let path: String
        /// What the person has typed for it.
        let argument: String
    }

    /// How long to wait for a turn. Those who come before this side may send for long.
    static let patience: Duration = .seconds(3_600)
    /// The first wait before another try, and the longest one.
    private static let pauses: (first: Duration, longest: Duration) = (.milliseconds(500), .seconds(15))

    let peer: Peer
    let browser: Browser
    let picker: PeerPicker
    let code: CodeArgument?
    let name: String?
    /// How long a lost connection is tried again.
    let retry: Duration
    let output: Output
    var clock: any SteadyClock = ContinuousClock()

    /// What has come of one connection.
    private struct Round {
        var failure: CommandFailure?
        /// What the connection was lost for.
        var lost: [Item] = []
        var lostFailure: CommandFailure?
    }

    /// Sends all, and returns the first failure.
    func run(_ items: [Item]) async -> CommandFailure? {
        do throws(CommandFailure) {
            let target = try await RemotePeer.find(code, named: name, by: picker)
            var (left, failure): ([Item], CommandFailure?) = (items, nil)
            var meeting = try await connect(to: target)
            while true {
                let round = await send(left, over: meeting)
                failure = failure ?? round.failure
                left = round.lost
                guard let lost = round.lostFailure else { break }
                guard let next = await reconnect(to: meeting.member) else {
                    return failure ?? lost
                }
                meeting = next
            }
            return failure
        } catch {
            return error
        }
    }

    // MARK: Connecting

    private struct Meeting {
        let session: Multipeer.Session
        let member: Member
    }

    /// Connects to the peer, once it is this side's turn.
    private func connect(to target: RemotePeer) async throws(CommandFailure) -> Meeting {
        let end = clock.now.advanced(by: Self.patience)
        var pause = Self.pauses.first
        var hasTold = false
        while true {
            do throws(ConnectionError) {
                return try await invite(target)
            } catch {
                guard error.isBusy, clock.now < end, !Task.isCancelled else { throw target.failure(error) }
                if !hasTold { output.warn("\(target.name) is busy; waiting for a turn") }
                hasTold = true
                try? await clock.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
    }

    private func invite(_ target: RemotePeer) async throws(ConnectionError) -> Meeting {
        let session = Multipeer.Session(of: peer)
        // Nobody else takes them, and the session needs its room.
        let events = Task { for await _ in session.events {} }
        do throws(ConnectionError) {
            let member = try await target.invite(to: session, by: browser, asking: NameQuestion(output: output))
            output.report(ChatEvent.connected(member))
            return Meeting(session: session, member: member)
        } catch {
            events.cancel()
            await session.leave()
            throw error
        }
    }

    /// Looks for the peer whose connection was lost, by its key, until it is there again; nil if it is not in time.
    private func reconnect(to member: Member) async -> Meeting? {
        let end = clock.now.advanced(by: retry)
        var pause = Self.pauses.first
        output.warn("the connection to \(SafeText.escape(member.name)) is lost; trying again")
        while clock.now < end, !Task.isCancelled {
            try? await clock.sleep(for: min(pause, clock.now.duration(to: end)))
            pause = min(pause * 2, Self.pauses.longest)
            guard !Task.isCancelled, let found = browser.peer(havingKey: member.id.key) else { continue }
            if let meeting = try? await invite(.nearby(found, nil)) { return meeting }
        }
        return nil
    }

    // MARK: Sending

    /// How many files are offered at a time, so that the person at the other side is asked about all of them at once.
    private static let offersAtOnce = FileTransferSettings.usualOffersAtOnce

    /// Sends all files, so many at a time.
    private func send(_ items: [Item], over meeting: Meeting) async -> Round {
        var (round, left) = (Round(), items[...])
        while !left.isEmpty, round.lostFailure == nil, !Task.isCancelled {
            await send(left.prefix(Self.offersAtOnce), over: meeting, &round)
            left = left.dropFirst(Self.offersAtOnce)
        }
        if round.lostFailure != nil { round.lost += left }
        await meeting.session.leave()
        return round
    }

    /// Offers files in their order, without waiting for an answer in between, and sends those that are taken.
    private func send(_ items: ArraySlice<Item>, over meeting: Meeting, _ round: inout Round) async {
        await withTaskGroup(of: (Item, FileOutcome).self) { group in
            for item in items {
                let (offers, offer) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    defer { offer.finish() }
                    let outcome = await meeting.session.sendFile(
                        item.path, as: item.argument, to: meeting.member.id, by: .receiver,
                        goesOn: retry > .zero, whenOffered: { offer.finish() }, telling: output)
                    return (item, outcome)
                }
                for await _ in offers {}
            }
            for await (item, outcome) in group {
                switch outcome {
                case .sent: break
                case .failed(let failure): round.failure = round.failure ?? failure
                case .lost(let failure):
                    round.lost.append(item)
                    round.lostFailure = round.lostFailure ?? failure
                }
            }
        }
    }
}

extension ConnectionError {
    /// Whether the peer has no room now, and may have some later.
    fileprivate var isBusy: Bool {
        guard case .failed(let failure) = self else { return false }
        return switch failure.cause {
        case .invitation(.peerBusy), .incompatible(.refused(.busy)): true
        default: false
        }
    }
}

extension Browser {
    /// The peer nearby that advertises the tag of a key.
    fileprivate func peer(havingKey key: IdentityKey) -> NearbyPeer? {
        if case .certain(let peer) = PeerLookup(.key(key), tag: tag(of: key)).outcome(among: peers) {
            peer
        } else {
            nil
        }
    }
}

extension RemotePeer {
    /// What people read.
    fileprivate var name: String {
        switch self {
        case .nearby(let peer, _): peer.name
        case .link(let link): link.name.map { SafeText.escape($0.description) } ?? "the peer of the link"
        }
    }
}
