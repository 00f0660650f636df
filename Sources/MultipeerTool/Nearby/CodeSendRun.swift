import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerNIO

/// Sends files to the peer at which the code is typed that the local peer shows (`send --show-code`, `receive CODE`).
struct CodeSendRun: Sendable {
    /// What the peer that types the code says it wants: somebody who types it to send files of its own would wait for nothing.
    static let mark = "receive"

    let peer: Peer
    let advertiser: Advertiser
    let screen: CodeScreen
    let run: SendRun
    let output: Output

    /// Shows codes until one was typed, and sends all to the peer that has typed it. Returns the first failure.
    func run(_ items: [SendRun.Item], text: [UInt8]?) async -> CommandFailure? {
        let showing = Task { () async -> Result<PeerID, CommandFailure> in
            do throws(CommandFailure) {
                return switch try await screen.run() {
                case .verified(let peer): .success(peer)
                case .wrong: .failure(.wrongCode)
                case .expired, .withdrawn, nil: .failure(.givenUp)
                }
            } catch {
                return .failure(error)
            }
        }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Invitation.self)
        let accepting = Task {
            await withDiscardingTaskGroup { group in
                for await incoming in advertiser.invitations {
                    group.addTask {
                        // The code may have been right a moment before the local peer hears of it.
                        guard case .success(let typist) = await showing.value, isFrom(typist, incoming) else {
                            return incoming.decline()
                        }
                        arrival.yield(incoming)
                    }
                }
            }
        }
        defer { accepting.cancel() }
        return await withTaskCancellationHandler {
            if case .failure(let failure) = await showing.value { return failure }
            for await incoming in arrivals { return await send(items, text, to: incoming) }
            return .givenUp
        } onCancel: {
            showing.cancel()
            arrival.finish()
        }
    }

    private func isFrom(_ typist: PeerID, _ incoming: Invitation) -> Bool {
        incoming.peer == typist && incoming.context == Array(Self.mark.utf8)
    }

    private func send(
        _ items: [SendRun.Item], _ text: [UInt8]?, to incoming: Invitation
    ) async -> CommandFailure? {
        let session = Multipeer.Session(of: peer)
        do throws(MultipeerError) {
            let member = try await incoming.join(session)
            output.report(ChatEvent.connected(member))
            return await run.sendOnce(items, text: text, over: session, to: member)
        } catch {
            await session.leave()
            return CommandFailure(error, named: incoming.name, at: [])
        }
    }
}

extension CommandFailure {
    fileprivate static let givenUp = CommandFailure(
        "code", "nobody has typed the code", remedy: "Begin again, and pass on the new code", .interrupted)
}
