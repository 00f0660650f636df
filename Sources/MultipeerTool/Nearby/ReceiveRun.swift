import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// Takes files of whoever invites this side, each sender in a session of its own.
struct ReceiveRun: Sendable {
    /// How many senders may be connected at a time; others are declined.
    static let mostSenders = 16
    /// How long a sender may be connected without offering anything.
    static let patience: Duration = .seconds(60)

    let peer: Peer
    let known: TentativeKnownPeers
    let directory: String
    let acceptance: ReceiveAcceptance
    let prompter: Prompter
    let output: Output
    let isOnce: Bool
    private let senders = SenderCount()
    private let result = ReceiveResult()

    init(
        peer: Peer, known: TentativeKnownPeers, directory: String, acceptance: ReceiveAcceptance, isOnce: Bool,
        output: Output
    ) {
        self.peer = peer
        self.known = known
        self.directory = directory
        self.acceptance = acceptance
        self.isOnce = isOnce
        self.output = output
        prompter = Prompter(patience: .seconds(120))
    }

    /// Runs until it is cancelled, or, for one sender, until that one has left. Returns the first failure.
    func run(_ advertiser: Advertiser) async -> CommandFailure? {
        await withDiscardingTaskGroup { group in
            for await incoming in advertiser.invitations {
                guard senders.begin() else {
                    output.warn("declined \(incoming.name): \(Self.mostSenders) senders are connected")
                    incoming.decline()
                    continue
                }
                if isOnce {
                    await serve(incoming)
                    if result.hasReceived || result.failure != nil { break }
                } else {
                    group.addTask { await serve(incoming) }
                }
            }
        }
        return result.failure
    }

    private func serve(_ incoming: IncomingInvitation) async {
        defer { senders.end() }
        let sender = incoming.invitation.peer
        let session = Multipeer.Session(of: peer, trust: .validator(TrustOnFirstUseValidator(store: known)))
        guard incoming.accept(into: session) else { return }
        let files = SideWork()
        let limit = Task {
            try? await Task.sleep(for: Self.patience)
            guard !Task.isCancelled else { return }
            await session.leave()
        }
        await withTaskCancellationHandler {
            for await event in session.events {
                switch event {
                case .connected(let member): output.report(ChatEvent.connected(member))
                case .file(let file):
                    limit.cancel()
                    files.start { await self.offered(file) }
                case .disconnected(let member, let reason):
                    output.report(ChatEvent.disconnected(member.id, reason))
                    await session.leave()
                case .failed(let peer, let reason):
                    output.report(ChatEvent.disconnected(peer, reason))
                    await session.leave()
                default: break
                }
                await output.waitForRoom()
            }
        } onCancel: {
            Task { await session.leave() }
        }
        limit.cancel()
        result.note(await files.finish())
        await known.forgetStranger(sender.key)
    }

    // MARK: Offers

    private func offered(_ file: OfferedFile) async -> CommandFailure? {
        let isKnown = await known.isKnown(file.member.id)
        let isTaken = await isTaken(file, isKnown)
        output.report(ChatEvent.fileOffered(file, isAccepted: isTaken))
        guard isTaken else {
            await file.decline()
            return nil
        }
        do throws(KnownPeersStoreFailure) {
            try await known.confirm(file.member.id.key)
        } catch {
            output.warn("\(SafeText.escape(file.member.name)) cannot be remembered: the next time it is new again")
        }
        let bar = TransferBar(.received, output)
        defer { bar.end() }
        do throws(TransferError) {
            let stored = try await file.accept(into: directory) { bar.show($0) }
            output.report(ChatEvent.fileReceived(file, stored))
            result.noteReceived()
            return nil
        } catch {
            let failure = CommandFailure(error, .received, file: file.name)
            output.report(ChatEvent.fileFailed(file.name, file.member.id, failure))
            return failure
        }
    }

    private func isTaken(_ file: OfferedFile, _ isKnown: Bool) async -> Bool {
        switch acceptance {
        case .all: true
        case .known where isKnown: true
        case .known, .ask: await prompter.ask(OfferQuestion(offer: file, isKnown: isKnown), output) == .accepted
        }
    }
}

/// `--accept` of `multipeer receive`
enum ReceiveAcceptance: String, CaseIterable {
    case ask, known, all
}

/// How many senders are connected.
private final class SenderCount: Sendable {
    private let count = Mutex(0)

    func begin() -> Bool {
        count.withLock { count in
            guard count < ReceiveRun.mostSenders else { return false }
            count += 1
            return true
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}

/// What has come of it all.
private final class ReceiveResult: Sendable {
    private let state = Mutex<(failure: CommandFailure?, hasReceived: Bool)>((nil, false))

    func note(_ failure: CommandFailure?) { state.withLock { $0.failure = $0.failure ?? failure } }
    func noteReceived() { state.withLock { $0.hasReceived = true } }
    var failure: CommandFailure? { state.withLock { $0.failure } }
    var hasReceived: Bool { state.withLock { $0.hasReceived } }
}
