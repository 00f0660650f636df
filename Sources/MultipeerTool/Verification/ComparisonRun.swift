import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// Two persons compare a short string, each at its own screen (`multipeer verify`).
struct ComparisonRun: Sendable {
    /// What a peer says once its person has confirmed: the one that leaves first would take the chance from the other.
    private static let confirmation = "verified"
    /// How long the other person may take after this one.
    private static let patience: Duration = .seconds(120)

    let session: Multipeer.Session
    let output: Output

    private enum News: Sendable {
        /// What the person has typed; nil for nothing.
        case answer(Bool?)
        case otherHasConfirmed
        case gone(DisconnectReason)
        case late
    }

    /// Compares with a member. Takes the session's events from then on.
    func run(with member: Member) async throws(CommandFailure) {
        let comparison: Comparison
        do throws(MultipeerError) {
            comparison = try await session.compare(with: member.id)
        } catch {
            throw CommandFailure(
                "verification", SafeText.escape(error.reason), remedy: "Begin again at both peers", .refused)
        }
        output.report(ChatEvent.comparison(comparison, answers: false))
        let (news, telling) = AsyncStream.makeStream(of: News.self)
        let tasks = [
            Task { await Self.tell(session, telling) },
            Task { _ = telling.yield(.answer(await ask())) },
        ]
        defer { for task in tasks { task.cancel() } }
        try await decide(comparison, news, telling)
    }

    private static func tell(_ session: Multipeer.Session, _ telling: AsyncStream<News>.Continuation) async {
        for await event in session.events {
            switch event {
            case .message(let message, _) where message.text == confirmation: telling.yield(.otherHasConfirmed)
            case .disconnected(_, let reason): telling.yield(.gone(reason))
            default: break
            }
        }
        telling.finish()
    }

    /// Enter alone is no answer: a person who confirms has to have looked (SPEC §25.8).
    private func ask() async -> Bool? {
        let question = "Does the other screen show the same? Type yes or no: "
        for await line in LineInput(on: output.screen).lines(question, discardsOlder: true) {
            switch line.lowercased() {
            case "yes": return true
            case "no": return false
            default: continue
            }
        }
        return nil
    }

    private func decide(
        _ comparison: Comparison, _ news: AsyncStream<News>, _ telling: AsyncStream<News>.Continuation
    ) async throws(CommandFailure) {
        var (confirmed, otherHasConfirmed): (TakingBack?, Bool) = (nil, false)
        for await item in news {
            switch item {
            case .answer(true):
                confirmed = try await confirm(comparison)
                Task {
                    try? await Task.sleep(for: Self.patience)
                    telling.yield(.late)
                }
            case .answer(false):
                await comparison.deny()
                throw CommandFailure(
                    "verification", "the strings differ: somebody may be between the two",
                    remedy: "Send nothing over this network, and compare again on another one", .refused)
            case .answer(nil):
                throw CommandFailure(
                    "verification", "nobody has said whether the strings are the same", remedy: "Begin again",
                    .interrupted)
            case .otherHasConfirmed: otherHasConfirmed = true
            case .gone(let reason):
                if let confirmed {
                    guard reason.isDenial else { return }
                    throw CommandFailure(
                        "verification", await confirmed.run(),
                        remedy: "Send nothing over this network, and compare again on another one", .refused)
                }
                throw CommandFailure(
                    "verification", SafeText.escape(reason.description), remedy: "Begin again at both peers", .refused)
            case .late: return
            }
            if confirmed != nil, otherHasConfirmed { return }
        }
    }

    private func confirm(_ comparison: Comparison) async throws(CommandFailure) -> TakingBack {
        let takingBack: TakingBack
        do throws(MultipeerError) {
            takingBack = try await comparison.confirmForNow(by: session.peer)
        } catch {
            throw CommandFailure("verification", SafeText.escape(error.reason), remedy: "Check the store", .system)
        }
        for member in session.connectedPeers where member.id == comparison.member.id {
            output.report(ChatEvent.verified(member))
        }
        _ = try? await session.send(Self.confirmation)
        return takingBack
    }
}
