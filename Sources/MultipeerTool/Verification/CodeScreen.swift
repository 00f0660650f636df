import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerNIO
import MultipeerTerminal
import Synchronization

/// Shows codes, one after the other, and says what comes of them. The number of the one on the screen is advertised (SPEC §25.4).
final class CodeScreen: Sendable {
    private let advertiser: Advertiser
    private let peer: Peer
    private let showsQRCode: Bool
    private let prompter: Prompter
    private let output: Output
    private let verified = Mutex<Set<IdentityKey>>([])

    /// - Parameter prompter: Asks whether to show a new code.
    init(of peer: Peer, on advertiser: Advertiser, showsQRCode: Bool, prompter: Prompter, output: Output) {
        (self.peer, self.advertiser, self.showsQRCode) = (peer, advertiser, showsQRCode)
        (self.prompter, self.output) = (prompter, output)
    }

    /// Whether the peer has typed one of these codes.
    func isVerified(_ peer: PeerID) -> Bool { verified.withLock { $0.contains(peer.key) } }

    /// Shows codes until one was typed, or the task is cancelled. A person who has let ten minutes go by gets a new
    /// one; after a wrong code, so does a person at the terminal who wants one.
    func run() async throws(CommandFailure) -> CodeOutcome? {
        while !Task.isCancelled {
            let shown = try await show()
            let watching = Task { await watch(shown) }
            defer { watching.cancel() }
            let outcome = await withTaskCancellationHandler {
                await shown.outcome()
            } onCancel: {
                Task { await shown.withdraw() }
            }
            if case .verified(let peer) = outcome { verified.withLock { _ = $0.insert(peer.key) } }
            if let outcome {
                let isKnown = if let typist = outcome.peer { await peer.knows(typist) } else { false }
                output.report(CodeReport.ended(shown.code, outcome, isKnown: isKnown))
            }
            try await advertise(nil)
            switch outcome {
            case .expired: continue
            case .wrong(let peer): guard await wantsNewCode(after: peer) else { return outcome }
            default: return outcome
            }
        }
        return nil
    }

    /// Says how many have tried the code and gone: for each doubling a line, so that strangers do not fill the screen.
    private func watch(_ shown: DisplayedCode) async {
        var next = 1
        while let count = await shown.abandonedAttempts() {
            guard count >= next else { continue }
            next = count * 2
            output.report(CodeReport.abandoned(shown.code, count: count))
        }
    }

    private func wantsNewCode(after guesser: PeerID) async -> Bool {
        guard LineInput.isPossible, !output.isJSON else { return false }
        return await prompter.ask(NewCodeQuestion(guesser), output) == .accepted
    }

    private func show() async throws(CommandFailure) -> DisplayedCode {
        let shown: DisplayedCode
        do throws(MultipeerError) {
            shown = try await peer.showCode()
        } catch {
            throw CommandFailure("code", error.reason, remedy: "Begin again", .software)
        }
        try await advertise(shown.code.number)
        let link = PeerLink(
            key: peer.id.key, addresses: advertiser.addresses, code: shown.code, name: peer.id.displayName)
        output.report(CodeReport.shown(shown, link, picture: picture(of: link)))
        return shown
    }

    private func advertise(_ number: Int?) async throws(CommandFailure) {
        do throws(MultipeerError) {
            try await advertiser.update(number.map { [ShownNumber.key: String($0)] } ?? [:])
        } catch {
            throw CommandFailure(error, listeningAt: nil)
        }
    }

    /// The lines of the QR code; none without one, and where the terminal has no room for it.
    private func picture(of link: PeerLink) -> [String] {
        guard showsQRCode, !output.isJSON else { return [] }
        let size = StandardStream.output.size
        let picture = CodePicture(
            size: size ?? TerminalSize(columns: .max, rows: .max), locale: .current,
            hasColours: output.screen.resultPalette.isEnabled)
        if let lines = picture.lines(of: link) { return lines }
        let place = size.map { "\($0.columns) columns and \($0.rows) lines" } ?? "this place"
        output.warn(
            picture.drawing == nil
                ? "the QR code is not drawn: it needs more than \(place) where the locale is not UTF-8; send the link in its place"
                : "the QR code is not drawn: it needs more than \(place); send the link in its place")
        return []
    }
}

extension CommandFailure {
    /// Somebody has used up the local code.
    static var wrongCode: CommandFailure {
        CommandFailure("code", "a wrong code was typed", remedy: "Begin again, and pass on the new code", .refused)
    }
}
