import Multipeer
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What an app wants when it invites a peer, or connects to it.
struct Call: Sendable {
    let peer: MCPeerID
    let places: PeerPlaces
    let context: [UInt8]
    let deadline: ContinuousClock.Instant
    /// How many peers had become connected when it began (``SessionEngine/connections``).
    let connectionsBefore: Int
    /// Whether the peer connects as well.
    var isMutual = false
}

/// What may still become of a peer after an invitation that has failed.
enum Prospect {
    /// Nothing.
    case none
    /// One peer has become a member elsewhere meanwhile, or another link decides. The next invitation may succeed.
    case again
    /// The peer is in a session with others.
    case busy
    /// The local peer does not reach the remote peer, which may reach the local peer.
    case elsewhere
}

extension SessionEngine {
    /// Invites a peer until it is connected.
    ///
    /// Where several apps invite each other at the same time, an invitation may fail only because one of the two was
    /// accepted by a third. Both want to be connected still, so the local peer invites again as long as its time lasts.
    /// The peer's app is not asked again (``Consents``).
    func bring(_ call: Call, in generation: SessionGeneration) async throws(MCDisconnectReason) {
        let session = try await generation.start()
        await waitForTurn(of: call.peer.tag, in: generation)
        var patience = Patience()
        while true {
            do throws(MultipeerError) {
                return call.peer.learn(try await invite(call, session, in: generation).id.key)
            } catch {
                if hasConnected(call.peer, since: call.connectionsBefore) { return }
                guard try await goesOn(after: error, call, session, in: generation) else { return }
                repeat {
                    let next = min(call.deadline, local.clock.now.advanced(by: patience.next()))
                    if try await waits(for: call.peer, until: next, session, in: generation) { return }
                    guard local.clock.now < call.deadline else { throw MCDisconnectReason(error) }
                } while isAccepting(call.peer, in: generation)
            }
        }
    }

    /// Invites once. A peer that is refused meanwhile, or refuses, is not waited for: its call is over. The invitation
    /// is withdrawn too where the peer's app does not answer it, and the peer has invited the local peer, whose app has
    /// accepted: that invitation waits for this one (`AnswerTiming.afterPeer`).
    private func invite(
        _ call: Call, _ session: Session, in generation: SessionGeneration
    ) async throws(MultipeerError) -> Member {
        let timeout = max(local.clock.now.duration(to: call.deadline), .milliseconds(1))
        return try await withTaskGroup(of: Result<Member, MultipeerError>?.self) { group in
            group.addTask {
                await Result.catching { () async throws(MultipeerError) in
                    try await session.invite(call.places, context: call.context, timeout: timeout)
                }
            }
            group.addTask {
                var looks = 0
                while self.refusal(of: call.peer, in: generation) == nil, looks < Self.looksForAnswer {
                    guard (try? await Task.sleep(for: Self.look)) != nil else { return nil }
                    looks = self.isAccepting(call.peer, in: generation) ? looks + 1 : 0
                }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            // The invitation is withdrawn, and may have succeeded all the same.
            if case .success(let member) = await group.next() ?? nil { return .success(member) }
            return .failure(Task.isCancelled ? .connection(.cancelled) : .connection(.closed))
        }.get()
    }

    /// Deadlines come from the clock. What no event reports is looked at in real time: a clock that does not advance
    /// must not keep the looks from seeing what has happened.
    private static let look: Duration = .milliseconds(50)
    /// How long the answer of the peer's app counts more than that of the local app, in looks: a quarter of a minute,
    /// which no answer takes that a program gives.
    private static let looksForAnswer = 300
    private static let pause: Duration = .milliseconds(10)
    private static let looksForRefusal = 5

    /// Whether the local peer invites again. It does not if the remote peer is connected.
    private func goesOn(
        after error: MultipeerError, _ call: Call, _ session: Session, in generation: SessionGeneration
    ) async throws(MCDisconnectReason) -> Bool {
        guard !Task.isCancelled else { throw MCDisconnectReason(MultipeerError.connection(.cancelled)) }
        switch error.prospect {
        // The peer's own invitation had crossed this one, and found the local peer among others.
        case .none where call.isMutual && error.isOwnRefusal: return true
        case .none: throw MCDisconnectReason(error)
        case .again: return true
        case .elsewhere:
            guard call.isMutual, try await waits(for: call.peer, until: call.deadline, session, in: generation) else {
                throw MCDisconnectReason(error)
            }
            return false
        case .busy:
            // The remote peer invites the local peer, or the local peer is among the same.
            if call.isMutual { return true }
            if await session.knows(call.peer) {
                guard try await waits(for: call.peer, until: call.deadline, session, in: generation) else {
                    throw MCDisconnectReason(error)
                }
                return false
            }
            guard session.connectedPeers.isEmpty else { throw MCDisconnectReason(error) }
            // Its app may have accepted all the same: then the local peer comes to them.
            return await !join(call, session)
        }
    }

    /// Waits until a peer is connected, on whatever way. Returns false if it is not in time, or the task is cancelled.
    /// - Throws: Why it will not be, if one peer has refused the other meanwhile.
    private func waits(
        for peer: MCPeerID, until deadline: ContinuousClock.Instant, _ session: Session,
        in generation: SessionGeneration
    ) async throws(MCDisconnectReason) -> Bool {
        var looks = 0
        while !session.isConnected(with: peer) {
            looks += 1
            var isOver = local.clock.now >= deadline
            if !isOver { isOver = (try? await Task.sleep(for: Self.pause)) == nil }
            // A peer that is about to be connected is not refused: that is looked at less often.
            if isOver || looks.isMultiple(of: Self.looksForRefusal), let refusal = refusal(of: peer, in: generation) {
                throw refusal
            }
            if isOver { return false }
        }
        return true
    }

    /// The same, whatever one peer refuses.
    func waits(for peer: MCPeerID, until deadline: ContinuousClock.Instant, _ session: Session) async -> Bool {
        while !session.isConnected(with: peer) {
            guard local.clock.now < deadline, (try? await Task.sleep(for: Self.pause)) != nil else { return false }
        }
        return true
    }

    private func join(_ call: Call, _ session: Session) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                let left = self.local.clock.now.duration(to: call.deadline)
                guard left > .zero else { return false }
                return (try? await session.join(call.places, timeout: left)) != nil
            }
            group.addTask { await self.waits(for: call.peer, until: call.deadline, session) }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }
}

/// How long to wait before the next invitation: longer each time, and not the same for two that began at once.
private struct Patience {
    private static let longest = 4_000
    private var milliseconds = 50

    mutating func next() -> Duration {
        defer { milliseconds = min(2 * milliseconds, Self.longest) }
        return .milliseconds(Int.random(in: milliseconds / 2...milliseconds))
    }
}

extension Session {
    /// Whether a peer is connected, on whatever way.
    fileprivate func isConnected(with peer: MCPeerID) -> Bool {
        connectedPeers.contains { peer.isThe($0.id.key) }
    }

    /// Whether a peer is a member of the session, with which the local peer becomes connected by itself.
    func knows(_ peer: MCPeerID) async -> Bool { await memberKeys().contains(where: peer.isThe) }
}

extension MultipeerError {
    var prospect: Prospect {
        switch cause {
        case .closed, .request(.alreadyLinked), .request(.mayNotAdmit), .request(.unknownLink),
            .request(.unknownSession):
            .again
        // The peer invites the local peer on the same link, because its app has accepted.
        case .request(.link(.wrongStage)): .busy
        case .unreachable: .elsewhere
        case .link(let failure): failure.cause.prospect
        default: .none
        }
    }
}

extension LinkFailureCause {
    fileprivate var prospect: Prospect {
        switch self {
        case .invitation(.peerBusy): .busy
        case .invitation(.superseded), .invitation(.withdrawn), .invitation(.withdrawnByPeer): .again
        case .peerClosed(.noError), .peerClosed(.duplicateLink): .again
        case .invitation(.sessionFull), .invitation(.noAnswer), .timedOut, .silent, .truncated, .limit: .elsewhere
        case .peerClosed(let code): code == .shuttingDown ? .elsewhere : .none
        case .invitation, .certificate, .malformed, .violation, .incompatible, .verification, .crypto: .none
        }
    }
}
