import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// Takes files of whoever invites this side, each sender in a session of its own.
struct ReceiveRun: Sendable {
    /// How many senders may be connected at a time (`CallerPlaces`); others are declined.
    static let mostSenders = 16
    /// How long a sender may be connected without anything being offered or under way.
    static let patience: Duration = .seconds(60)

    let peer: Peer
    let known: TentativeKnownPeers
    /// The peers about whose files the person is not asked any more.
    let always: AlwaysTakenFile
    let directory: String
    let acceptance: ReceiveAcceptance
    let prompter: Prompter
    let output: Output
    let isOnce: Bool
    /// The codes that are shown, if any are.
    let codes: CodeScreen?
    /// The peers whose codes were typed here.
    private let typed = TypedCodes()
    private let senders = Senders()
    private let result = ReceiveResult()

    init(
        peer: Peer, known: TentativeKnownPeers, always: AlwaysTakenFile, directory: String,
        acceptance: ReceiveAcceptance, isOnce: Bool,
        codes: CodeScreen?, prompter: Prompter, output: Output
    ) {
        self.peer = peer
        self.known = known
        self.always = always
        self.directory = directory
        self.acceptance = acceptance
        self.isOnce = isOnce
        self.codes = codes
        self.output = output
        self.prompter = prompter
    }

    /// Runs until it is cancelled, or, for one sender, until that one has left. Returns the first failure.
    func run(_ advertiser: Advertiser) async -> CommandFailure? {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let one = isOnce ? OneSender { end.finish() } : nil
        let accepting = Task { await accept(advertiser, one) }
        let ending = Task {
            for await _ in ends {}
            accepting.cancel()
        }
        await withTaskCancellationHandler {
            await accepting.value
        } onCancel: {
            accepting.cancel()
        }
        end.finish()
        await ending.value
        output.tellStrangers()
        return result.failure
    }

    private func accept(_ advertiser: Advertiser, _ one: OneSender?) async {
        await withDiscardingTaskGroup { group in
            for await incoming in advertiser.invitations {
                guard senders.begin(incoming.caller) else {
                    let isHeard = incoming.caller.isKnown || output.hearsStranger()
                    if isHeard {
                        output.warn("\(incoming.name) has to wait: too many senders are connected, or too many like it")
                    }
                    incoming.declineAsBusy()
                    continue
                }
                group.addTask { await serve(incoming, one) }
            }
        }
    }

    private func serve(_ incoming: IncomingInvitation, _ one: OneSender?) async {
        let caller = incoming.caller
        defer { senders.end(caller) }
        let sender = incoming.invitation.peer
        let validator = RefusalTelling(base: TrustOnFirstUseValidator(store: known), output: output)
        let session = Multipeer.Session(of: peer, trust: .validator(validator))
        let number = one?.begin(session)
        guard one == nil || number != nil else { return incoming.declineAsBusy() }
        defer { if let number { one?.end(number, isDone: result.hasReceived || result.failure != nil) } }
        guard incoming.accept(into: session) else { return }
        await takeOffers(of: session, from: caller, number, one)
        await known.forgetStranger(sender.key)
    }

    /// Takes what the peer of a session offers whose code was typed here, until it has left. Returns the first failure.
    func takeAll(of session: Multipeer.Session) async -> CommandFailure? {
        for member in session.connectedPeers {
            typed.insert(member.id.key)
            let caller = Caller(member.id.key, from: nil, isKnown: true)
            await takeOffers(of: session, from: caller, nil, nil)
        }
        guard result.failure == nil, !result.hasReceived else { return result.failure }
        return CommandFailure(
            "file transfer", "the sender has left, and nothing was received",
            remedy: "Ask the person at the other side to send it again",
            .unreachable)
    }

    /// Takes what a sender offers, until it has left.
    private func takeOffers(
        of session: Multipeer.Session, from caller: Caller, _ number: Int?, _ one: OneSender?
    ) async {
        let (files, questions) = (SideWork(), OpenQuestions())
        let voice = Voice(isHeard: caller.isKnown || output.hearsStranger())
        let idle = IdleLimit(Self.patience) { await session.leave() }
        let departure: ChatEvent? = await withTaskCancellationHandler {
            var departure: ChatEvent?
            for await event in session.events {
                switch event {
                case .connected(let member): if voice.isHeard { output.report(ChatEvent.connected(member)) }
                case .file(let file):
                    idle.begin()
                    // A peer that offers something is one that the person may want to know.
                    voice.raise()
                    files.start {
                        defer { idle.end() }
                        // Another sender was faster, and this one is being sent away.
                        if let number, one?.claim(number) == false {
                            await file.decline()
                            return nil
                        }
                        return await self.offered(file, by: caller, questions)
                    }
                case .disconnected(let member, let reason):
                    questions.withdraw()
                    departure = .disconnected(member.id, reason)
                    await session.leave()
                case .failed(let peer, let reason):
                    questions.withdraw()
                    departure = .disconnected(peer, reason)
                    await session.leave()
                default: break
                }
                await output.waitForRoom()
            }
            return departure
        } onCancel: {
            questions.withdraw()
            Task { await session.leave() }
        }
        idle.finish()
        questions.withdraw()
        result.note(await files.finish())
        // A file that has come whole is stored, and told, before its sender is gone.
        if let departure, voice.isHeard { output.report(departure) }
    }

    // MARK: Offers

    private func offered(
        _ file: OfferedFile, by caller: Caller, _ questions: OpenQuestions
    ) async -> CommandFailure? {
        // What was accepted before has made it known.
        let isKnown = await known.isKnown(file.member.id)
        let question = OfferQuestion(
            offer: file, caller: caller.remembered(isKnown), namesakes: await known.namesakes(of: file.member.id))
        if let error = await file.declineWithoutRoom(in: directory) {
            let failure = CommandFailure(error, .received, file: file.name)
            output.report(ChatEvent.fileFailed(file.name, file.member.id, failure))
            return failure
        }
        let isExpected = await isExpected(question)
        let answer: InvitationReply =
            isExpected ? .accepted : await questions.ask { await reply(whileOffered: question) }
        if answer == .always { await remember(file.member.id.key, file.member) }
        let isTaken = answer == .accepted || answer == .always
        // What is no longer offered was not declined.
        if answer != .withdrawn {
            let name = isExpected ? file.visibleName : file.localName
            output.report(ChatEvent.fileOffered(file, localName: name, isAccepted: isTaken))
        }
        guard isTaken else {
            await file.decline()
            return nil
        }
        do throws(KnownPeersStoreFailure) {
            try await known.confirm(file.member.id.key)
        } catch {
            output.warn("\(SafeText.escape(file.member.name)) cannot be remembered: the next time it is new again")
        }
        let failure = await file.accept(into: directory, isNameShown: !isExpected, telling: output)
        if failure == nil { result.noteReceived() }
        return failure
    }

    /// Asks as long as the sender offers the file.
    private func reply(whileOffered question: OfferQuestion) async -> InvitationReply {
        let asking = Task { await prompter.ask(question, output) }
        let watching = Task {
            guard await question.offer.waitForWithdrawal() else { return false }
            asking.cancel()
            return true
        }
        let answer = await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            asking.cancel()
        }
        watching.cancel()
        if answer == .withdrawn, await watching.value { output.report(ChatEvent.fileWithdrawn(question.offer)) }
        return answer
    }

    /// Whether nobody is asked: everybody's files are taken, those of a peer that was met before, or the peer was told the code.
    private func isExpected(_ question: OfferQuestion) async -> Bool {
        if codes?.isVerified(question.peer) == true || typed.contains(question.peer.key) { return true }
        switch acceptance {
        case .all: return true
        case .known: return question.isKnown
        case .ask:
            guard question.isKnown else { return false }
            return (try? await always.all())?.contains(question.peer.key) == true
        }
    }

    /// The person is not asked about files of this peer any more.
    private func remember(_ key: IdentityKey, _ sender: Member) async {
        let name = SafeText.escape(sender.name)
        do throws(StorageError) {
            try await always.set(key, isTaken: true)
            output.note {
                $0.dim(
                    "files of \(name) are taken without a question from now on; to be asked again: multipeer peers ask \(key)"
                )
            }
        } catch {
            output.warn(
                "that files of \(name) are always taken cannot be stored (\(SafeText.escape("\(error)"))): the next time it is a question again"
            )
        }
    }
}

/// `--accept` of `multipeer receive`
enum ReceiveAcceptance: String, CaseIterable {
    case ask, known, all
}

/// The senders that are connected.
private final class Senders: Sendable {
    private let places = Mutex(CallerPlaces(ReceiveRun.mostSenders))

    func begin(_ caller: Caller) -> Bool { places.withLock { $0.take(caller) } }
    func end(_ caller: Caller) { places.withLock { $0.giveBack(caller) } }
}

/// The peers whose codes were typed here.
private final class TypedCodes: Sendable {
    private let keys = Mutex<Set<IdentityKey>>([])

    func insert(_ key: IdentityKey) { keys.withLock { _ = $0.insert(key) } }
    func contains(_ key: IdentityKey) -> Bool { keys.withLock { $0.contains(key) } }
}

/// What has come of it all.
private final class ReceiveResult: Sendable {
    private let state = Mutex<(failure: CommandFailure?, hasReceived: Bool)>((nil, false))

    func note(_ failure: CommandFailure?) { state.withLock { $0.failure = $0.failure ?? failure } }
    func noteReceived() { state.withLock { $0.hasReceived = true } }
    var failure: CommandFailure? { state.withLock { $0.failure } }
    var hasReceived: Bool { state.withLock { $0.hasReceived } }
}
