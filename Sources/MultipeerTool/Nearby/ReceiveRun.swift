import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// Takes files of all peers that invite the local one, each sender in a session of its own.
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
    let result = ReceiveResult()
    private let senders = Senders()
    private let texts: ReceivedTexts

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
        texts = ReceivedTexts(output)
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
        texts.finish()
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
                    incoming.decline(.busy)
                    continue
                }
                group.addTask { await serve(incoming, one) }
            }
        }
    }

    private func serve(_ incoming: Invitation, _ one: OneSender?) async {
        let caller = incoming.caller
        defer { senders.end(caller) }
        let sender = incoming.peer
        let validator = RefusalTelling(base: TrustOnFirstUseValidator(store: known), output: output)
        let session = Multipeer.Session(of: peer, trust: .validator(validator))
        let number = one?.begin(session)
        guard one == nil || number != nil else { return incoming.decline(.busy) }
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
            remedy: "Ask the remote person to send it again",
            .unreachable)
    }

    /// Takes what a sender offers, until it has left.
    private func takeOffers(
        of session: Multipeer.Session, from caller: Caller, _ number: Int?, _ one: OneSender?
    ) async {
        let questions = OpenQuestions()
        let voice = Voice(isHeard: caller.isKnown || output.hearsStranger())
        let idle = IdleLimit(Self.patience) { await session.leave() }
        let offers = SenderOffers(of: caller, in: self, questions: questions) { idle.end() }
        let taking = Task { await offers.take() }
        let departure: ChatEvent? = await withTaskCancellationHandler {
            var departure: ChatEvent?
            for await event in session.events {
                switch event {
                case .connected(let member): if voice.isHeard { output.report(ChatEvent.connected(member)) }
                case .reconnecting(let member): if voice.isHeard { output.report(ChatEvent.reconnecting(member)) }
                case .file(let file):
                    idle.begin()
                    // A peer that offers something is one that the person may want to know.
                    voice.raise()
                    // Another sender was faster, and this one is being sent away.
                    if let number, one?.claim(number) == false {
                        await file.decline(.busy)
                        idle.end()
                    } else {
                        offers.add(file)
                    }
                case .message(let message, let member):
                    voice.raise()
                    await received(message, of: member, number, one)
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
        offers.finish()
        await taking.value
        // A file that has come whole is stored, and reported, before its sender is gone.
        if let departure, voice.isHeard { output.report(departure) }
    }

    /// A text counts as something that the sender was expected to send, so that strangers do not end `--once` by one.
    private func received(_ message: Message, of member: Member, _ number: Int?, _ one: OneSender?) async {
        let isKnown = await known.isKnown(member.id)
        let isExpected = await isExpected(member.id, isKnown: isKnown)
        if isExpected {
            if let number, one?.claim(number) == false { return }
            result.noteReceived()
        }
        texts.show(message, of: member, isKnown: isKnown || isExpected)
    }

    /// Whether nobody is asked: everybody's files are taken, those of a peer that was met before or always taken from,
    /// or the peer was given the code.
    func isExpected(_ sender: PeerID, isKnown: Bool) async -> Bool {
        if codes?.isVerified(sender) == true || typed.contains(sender.key) { return true }
        switch acceptance {
        case .all: return true
        case .known: return isKnown
        case .ask:
            guard isKnown else { return false }
            return (try? await always.all())?.contains(sender.key) == true
        }
    }

    /// The person is not asked about files of this peer any more.
    func takeAlways(from sender: Member) async {
        let (name, key) = (SafeText.escape(sender.name), sender.id.key)
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
final class ReceiveResult: Sendable {
    private let state = Mutex<(failure: CommandFailure?, hasReceived: Bool)>((nil, false))

    func note(_ failure: CommandFailure?) { state.withLock { $0.failure = $0.failure ?? failure } }
    func noteReceived() { state.withLock { $0.hasReceived = true } }
    var failure: CommandFailure? { state.withLock { $0.failure } }
    var hasReceived: Bool { state.withLock { $0.hasReceived } }
}
