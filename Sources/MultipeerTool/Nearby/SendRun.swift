import Multipeer
import MultipeerClock
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// Sends a text and files to one peer. It waits for its turn where the peer is busy, and connects again where the connection is lost: what has arrived is
/// not sent again (SPEC §15.7).
struct SendRun: Sendable {
    /// A file or folder, or the spooled standard input.
    struct Item: Sendable {
        let path: String
        /// What the person has typed for it.
        let argument: String
    }

    /// How long to wait for a turn. Those that come before the local peer may send for long.
    static let patience: Duration = .seconds(3_600)

    let peer: Peer
    let browser: Browser
    let picker: PeerPicker
    let code: CodeArgument?
    /// The peer that the person has named.
    let name: PeerArgument?
    /// The peer, if it has been found out already.
    var target: RemotePeer?
    /// How long a lost connection is tried again.
    let retry: Duration
    /// What a second Ctrl-C means.
    let chance: LastChance
    let output: Output
    var clock: any SteadyClock = ContinuousClock()

    /// What has come of one connection.
    private struct Round {
        var failure: CommandFailure?
        /// What the connection was lost for.
        var lost: [Item] = []
        var lostFailure: CommandFailure?
    }

    /// Sends a text, if there is one, and all files, and returns the first failure.
    func run(_ items: [Item], text: [UInt8]? = nil) async -> CommandFailure? {
        do throws(CommandFailure) {
            let target =
                if let target { target } else { try await RemotePeer.find(code, named: name, by: picker) }
            var (left, failure): ([Item], CommandFailure?) = (items, nil)
            var meeting = try await connect(to: target)
            let sentText = try await send(text, over: meeting)
            if let sentText, items.isEmpty { return await end(meeting, after: sentText) }
            while true {
                let round = await send(left, over: meeting)
                failure = failure ?? round.failure
                left = round.lost
                guard let lost = round.lostFailure else { break }
                guard let next = await reconnect(to: meeting.member, of: target) else {
                    return failure ?? lost
                }
                meeting = next
            }
            let missing = await arrival(of: sentText)
            return failure ?? missing
        } catch {
            return error
        }
    }

    // MARK: Connecting

    private struct Meeting {
        let session: Multipeer.Session
        let member: Member
        /// Takes the session's events, and returns why its first connection that failed did.
        let events: Task<LinkFailure?, Never>
    }

    /// Connects to the peer, once it is the local peer's turn.
    private func connect(to target: RemotePeer) async throws(CommandFailure) -> Meeting {
        let end = clock.now.advanced(by: Self.patience)
        var pauses = RetryPauses()
        var hasTold = false
        while true {
            do throws(MultipeerError) {
                return try await invite(target)
            } catch {
                guard error.isBusy, clock.now < end, !Task.isCancelled else { throw target.failure(error) }
                if !hasTold { output.warn("\(target.name) is busy; waiting for a turn") }
                hasTold = true
                try? await clock.sleep(for: pauses.next())
            }
        }
    }

    private func invite(_ target: RemotePeer) async throws(MultipeerError) -> Meeting {
        let session = Multipeer.Session(of: peer)
        let events = Task { await takeEvents(of: session) }
        let waiting = WaitingLine(.connection(target.name), output)
        defer { waiting.end() }
        do throws(MultipeerError) {
            let member = try await target.invite(to: session, by: browser, asking: NameQuestion(output: output))
            waiting.end()
            output.report(ChatEvent.connected(member))
            return Meeting(session: session, member: member, events: events)
        } catch {
            events.cancel()
            await session.leave()
            throw error
        }
    }

    /// Nobody else takes them, and the session needs its room.
    private func takeEvents(of session: Multipeer.Session) async -> LinkFailure? {
        var first: LinkFailure?
        var isLost = false
        for await event in session.events {
            switch event {
            case .reconnecting(let member):
                isLost = true
                output.report(ChatEvent.reconnecting(member))
            case .connected(let member) where isLost:
                isLost = false
                output.report(ChatEvent.connected(member))
            case .disconnected(_, let reason):
                if case .failed(let failure) = reason.end { first = first ?? failure }
            default: break
            }
        }
        return first
    }

    /// Looks for the peer whose connection was lost, by its key, until it is there again; nil if it is not in time.
    private func reconnect(to member: Member, of target: RemotePeer) async -> Meeting? {
        let end = clock.now.advanced(by: retry)
        var pauses = RetryPauses()
        output.warn("the connection to \(SafeText.escape(member.name)) is lost; trying again")
        while clock.now < end, !Task.isCancelled {
            try? await clock.sleep(for: min(pauses.next(), clock.now.duration(to: end)))
            guard !Task.isCancelled, let place = place(of: member, target) else { continue }
            if let meeting = try? await invite(place) { return meeting }
        }
        return nil
    }

    /// Where the peer of a key may be now.
    private func place(of member: Member, _ target: RemotePeer) -> RemotePeer? {
        if case .address(let endpoint, _, _) = target { return .address(endpoint, nil, member.id.key) }
        return browser.peer(havingKey: member.id.key).map { .nearby($0, nil) }
    }

    // MARK: Sending

    /// Sends all over a session that the local peer has not made, so that it cannot connect again. Returns the first
    /// failure.
    func sendOnce(
        _ items: [Item], text: [UInt8]?, over session: Multipeer.Session, to member: Member
    ) async -> CommandFailure? {
        let events = Task { await takeEvents(of: session) }
        let meeting = Meeting(session: session, member: member, events: events)
        do throws(CommandFailure) {
            let sentText = try await send(text, over: meeting)
            if let sentText, items.isEmpty { return await end(meeting, after: sentText) }
            let round = await send(items, over: meeting)
            let missing = await arrival(of: sentText)
            return round.failure ?? round.lostFailure ?? missing
        } catch {
            return error
        }
    }

    /// A text that is on its way.
    private struct SentText {
        let delivery: Delivery
        let size: Int
    }

    /// Sends the text, if there is one.
    private func send(_ text: [UInt8]?, over meeting: Meeting) async throws(CommandFailure) -> SentText? {
        guard let text else { return nil }
        do throws(MultipeerError) {
            return SentText(delivery: try await meeting.session.send(text, to: meeting.member.id), size: text.count)
        } catch {
            await meeting.session.leave()
            guard case .messageTooLong(let maximum) = error.cause else { throw CommandFailure(error) }
            throw CommandFailure(
                "text", "the peer takes texts of at most \(maximum) bytes",
                remedy: "Send it as a file: multipeer send -",
                .refused)
        }
    }

    /// Leaves, after the text alone. Returns the failure if it did not arrive.
    private func end(_ meeting: Meeting, after text: SentText) async -> CommandFailure? {
        // The text has the time of --stall-timeout, and not that of a link that closes.
        _ = await meeting.session.waitUntilSent(to: meeting.member.id)
        await meeting.session.leave()
        let linkFailure = await meeting.events.value
        // A link that fails later says nothing of the text.
        guard let failure = await arrival(of: text) else { return nil }
        return linkFailure.map { CommandFailure($0) } ?? failure
    }

    /// Reports the text once the peer has it. Returns the failure if it did not arrive for certain.
    private func arrival(of text: SentText?) async -> CommandFailure? {
        guard let text, let result = try? await text.delivery.outcome() else { return nil }
        var undelivered = UndeliveredMessages()
        switch result {
        case .delivered: output.report(ChatEvent.messageSent(text.delivery.peer, size: text.size))
        case .inDoubt: undelivered.inDoubt = 1
        case .notSent: undelivered.notSent = 1
        }
        return CommandFailure(undelivered)
    }

    /// How many files are offered at a time, so that the remote person is asked about all of them at once.
    private static let offersAtOnce = FileTransferSettings.usualOffersAtOnce

    /// Sends all files, several at a time.
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
        let wait = AnswerWait(for: SafeText.escape(meeting.member.name), output)
        await withTaskGroup(of: (Item, FileOutcome).self) { group in
            for item in items {
                let (offers, offer) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    let isTaken = Mutex(false)
                    let outcome = await meeting.session.sendFile(
                        item.path, as: item.argument, to: meeting.member.id, by: .receiver, goesOn: retry > .zero,
                        whenCancelled: { chance.reason },
                        onEvent: { event in
                            switch event {
                            case .offered:
                                wait.begin()
                                offer.finish()
                            case .accepted:
                                wait.end()
                                isTaken.withLock { $0 = true }
                                chance.begin()
                            default: break
                            }
                        }, telling: output)
                    offer.finish()
                    wait.end()
                    if isTaken.withLock(\.self) { chance.end() }
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

extension MultipeerError {
    /// Whether the peer has no room now, and may have some later. Of many programs with one identity, some hear that there are too many.
    fileprivate var isBusy: Bool {
        guard case .link(let failure) = cause else { return false }
        return switch failure.cause {
        case .invitation(.peerBusy), .incompatible(.refused(.busy)), .peerClosed(.limitExceeded): true
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
        case .address(let endpoint, _, _): "the peer at \(SafeText.escape(endpoint.description))"
        }
    }
}
