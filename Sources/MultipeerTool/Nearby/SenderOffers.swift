import Multipeer
import MultipeerCertificates
import MultipeerClock
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// What one sender of `receive` offers, from the offer to the stored file. A person is asked once about all that waits.
final class SenderOffers: Sendable {
    /// How long more of what a sender offers at a time is waited for before a person is asked.
    struct Waits {
        /// So long nothing more must have come.
        var quiet: Duration = .milliseconds(300)
        /// The longest wait.
        var longest: Duration = .seconds(3)
    }

    private struct State {
        /// The first one is asked; the next one has what came when a person saw that already.
        var questions: [OffersQuestion] = []
        var isAsking = false
    }

    private let run: ReceiveRun
    private let caller: Caller
    private let questions: OpenQuestions
    private let waits: Waits
    private let clock: any SteadyClock
    /// Called when an offer has come to its end.
    private let whenEnded: @Sendable () -> Void
    private let arrivals: AsyncStream<OfferedFile>
    private let arrival: AsyncStream<OfferedFile>.Continuation
    private let state = Mutex(State())

    init(
        of caller: Caller, in run: ReceiveRun, questions: OpenQuestions, waits: Waits = Waits(),
        clock: any SteadyClock = ContinuousClock(), whenEnded: @escaping @Sendable () -> Void
    ) {
        self.run = run
        self.caller = caller
        self.questions = questions
        self.waits = waits
        self.clock = clock
        self.whenEnded = whenEnded
        (arrivals, arrival) = AsyncStream.makeStream(of: OfferedFile.self)
    }

    /// The sender offers a file or folder.
    func add(_ file: OfferedFile) { arrival.yield(file) }

    /// The sender offers nothing more.
    func finish() { arrival.finish() }

    /// Runs until nothing more is offered and all has come to its end.
    func take() async {
        await withDiscardingTaskGroup { group in
            // One after the other: whether there is room for one depends on those before it.
            for await file in arrivals { await arrived(file, &group) }
        }
    }

    private func arrived(_ file: OfferedFile, _ group: inout DiscardingTaskGroup) async {
        let waiting = state.withLock { $0.questions.reduce(0) { $0 &+ $1.need } }
        let need: UInt64
        switch await file.declineWithoutRoom(in: run.directory, beside: waiting) {
        case .needed(let count): need = count
        case .declined(let error):
            let failure = CommandFailure(error, .received, file: file.name)
            run.output.report(ChatEvent.fileFailed(file.name, file.member.id, failure))
            run.result.note(failure)
            return whenEnded()
        }
        // What was accepted before has made it known.
        let isKnown = await run.known.isKnown(file.member.id)
        guard await !run.isExpected(file.member.id, isKnown: isKnown) else {
            run.output.report(ChatEvent.fileOffered(file, localName: file.visibleName, .accepted))
            await remember(file.member)
            return group.addTask { await self.accept(file, isNameShown: false) }
        }
        await wait(file, need: need, isKnown: isKnown)
        if begins() { group.addTask { await self.ask() } }
    }

    // MARK: Questions

    private func wait(_ file: OfferedFile, need: UInt64, isKnown: Bool) async {
        run.output.report(OfferWaits(file: file))
        if !(state.withLock { $0.questions.last?.add(file, need: need) ?? false }) {
            let question = OffersQuestion(
                about: file, need: need, of: caller.remembered(isKnown),
                namesakes: await run.known.namesakes(of: file.member.id))
            state.withLock { $0.questions.append(question) }
        }
        Task {
            guard await file.waitForWithdrawal() else { return }
            withdrawn(file)
        }
    }

    /// Whether nobody asks yet: then the caller has to.
    private func begins() -> Bool {
        state.withLock { state in
            guard !state.isAsking, !state.questions.isEmpty else { return false }
            state.isAsking = true
            return true
        }
    }

    /// Asks until nothing waits any more.
    private func ask() async {
        await withDiscardingTaskGroup { group in
            while let question = next() {
                let reply = await questions.ask { await self.reply(to: question) }
                let files = question.end()
                state.withLock { $0.questions.removeAll { $0 === question } }
                await answer(reply, files, question, &group)
            }
        }
    }

    private func next() -> OffersQuestion? {
        state.withLock { state in
            state.isAsking = !state.questions.isEmpty
            return state.questions.first
        }
    }

    private func reply(to question: OffersQuestion) async -> InvitationReply {
        let asking = Task { [self] in
            await gather(question)
            return Task.isCancelled ? .withdrawn : await run.prompter.ask(question, run.output)
        }
        question.whenEmpty { asking.cancel() }
        return await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            asking.cancel()
        }
    }

    /// Waits until the sender seems to have offered all that it wants to send at a time.
    private func gather(_ question: OffersQuestion) async {
        let end = clock.now.advanced(by: waits.longest)
        var count = 0
        while question.count > count, clock.now < end, !Task.isCancelled {
            count = question.count
            try? await clock.sleep(for: waits.quiet)
        }
    }

    private func withdrawn(_ file: OfferedFile) {
        guard state.withLock({ $0.questions.contains { $0.remove(file) } }) else { return }
        run.output.report(ChatEvent.fileWithdrawn(file))
        whenEnded()
    }

    // MARK: Answers

    private func answer(
        _ reply: InvitationReply, _ files: [OfferedFile], _ question: OffersQuestion, _ group: inout DiscardingTaskGroup
    ) async {
        guard let first = files.first else { return }
        if reply == .always { await run.takeAlways(from: first.member) }
        tell(reply, files)
        guard reply.isAccepted else {
            for file in files { await end(file, reply.offerRefusal) }
            return
        }
        await remember(first.member)
        for file in files { group.addTask { await self.accept(file, isNameShown: question.hasNamed(file)) } }
    }

    /// What was not taken has one line, however many files that are; programs have an event for each.
    private func tell(_ reply: InvitationReply, _ files: [OfferedFile]) {
        // What is no longer offered was not declined.
        guard reply != .withdrawn else { return }
        if !reply.isAccepted, files.count > 1, !run.output.isJSON {
            return run.output.report(OffersRefused(files: files, reply: reply))
        }
        for file in files { run.output.report(ChatEvent.fileOffered(file, localName: file.localName, reply)) }
    }

    private func end(_ file: OfferedFile, _ refusal: OfferRefusal) async {
        await file.decline(refusal)
        whenEnded()
    }

    private func remember(_ member: Member) async {
        do throws(KnownPeersStoreFailure) {
            try await run.known.confirm(member.id.key)
        } catch {
            run.output.warn("\(SafeText.escape(member.name)) cannot be remembered: the next time it is new again")
        }
    }

    private func accept(_ file: OfferedFile, isNameShown: Bool) async {
        let failure = await file.accept(into: run.directory, isNameShown: isNameShown, telling: run.output)
        if failure == nil { run.result.noteReceived() }
        run.result.note(failure)
        whenEnded()
    }
}

extension InvitationReply {
    /// What the sender of a file hears that is not taken.
    fileprivate var offerRefusal: OfferRefusal {
        switch self {
        case .accepted, .always, .declined: .declined
        case .unanswered: .unanswered
        case .crowded, .withdrawn: .busy
        }
    }
}
