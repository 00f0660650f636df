import Multipeer
import MultipeerClock
import MultipeerCommandLine
import MultipeerDriver
import MultipeerNIO

/// Joining and inviting at addresses.
extension ChatRun {
    /// One address, and what the chat wants of the member there.
    struct Call: Sendable {
        let endpoint: Endpoint
        let joins: Bool
    }

    /// Calls each address. The first failure ends the chat, because a person meant the address. In a chat that stays, an address where
    /// nobody listens yet is no failure. A chat that is in its session already, by what an earlier run has kept, continues too.
    /// - Returns: The addresses to call again.
    func connect(_ calls: [Call]) async throws(CommandFailure) -> [Call] {
        var unreached: [Call] = []
        for call in calls {
            let waiting = WaitingLine(.answer(SafeText.escape(call.endpoint.description)), output)
            defer { waiting.end() }
            do throws(MultipeerError) {
                try await perform(call)
            } catch {
                let failure = CommandFailure(error, endpoint: call.endpoint, policy)
                if stays, error.mayPass {
                    output.warn("\(failure.phase): \(failure.reason); calling again until somebody answers")
                    unreached.append(call)
                } else if session.isResumed {
                    warn(failure)
                } else {
                    throw failure
                }
            }
        }
        return unreached
    }

    /// Calls addresses until each has answered, or the session ends.
    func callAgain(_ calls: [Call]) async {
        await withDiscardingTaskGroup { group in
            for call in calls { group.addTask { await callAgain(call) } }
        }
    }

    private func callAgain(_ call: Call) async {
        var pauses = RetryPauses()
        while true {
            do { try await clock.sleep(for: pauses.next()) } catch { return }
            do throws(MultipeerError) {
                return try await perform(call)
            } catch {
                switch error.cause {
                case .stopped, .cancelled: return
                // The member has called this chat meanwhile.
                case _ where error.isCrossing && !session.connectedPeers.isEmpty: return
                case _ where error.mayPass || error.isCrossing: continue
                default: return warn(CommandFailure(error, endpoint: call.endpoint, policy))
                }
            }
        }
    }

    private func perform(_ call: Call) async throws(MultipeerError) {
        _ = call.joins ? try await session.join(call.endpoint) : try await session.invite(call.endpoint)
    }
}

extension MultipeerError {
    /// Whether the same call may succeed later: nothing could be connected to at the address.
    fileprivate var mayPass: Bool {
        switch cause {
        case .unreachable(.resolutionFailed), .unreachable(.timedOut): true
        case .unreachable(.unreachable(.refused)), .unreachable(.unreachable(.noRoute)),
            .unreachable(.unreachable(.noSuchSocket)):
            true
        default: false
        }
    }
}
