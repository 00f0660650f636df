import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// The question whether to take what one sender offers at a time: all of it, or nothing. Offers are added until a person sees it; what comes
/// later is another question, because nobody takes what was not shown.
final class OffersQuestion: Question {
    /// How many files a question names. A question of one sender has no more unless the sender does what this program never does.
    static let mostShown = FileTransferSettings.usualOffersAtOnce

    private struct State {
        var offers: [Offer] = []
        /// What a person sees of it, once that is fixed.
        var shown: [OfferedFile]?
        var isOver = false
        var whenEmpty: (@Sendable () -> Void)?
    }

    /// An offer, and how much room it needs.
    private struct Offer {
        let file: OfferedFile
        let need: UInt64
    }

    let caller: Caller
    /// Other peers that are remembered under the sender's name, or one that looks like it.
    private let namesakes: [KnownPeer]
    private let member: Member
    let label = ""
    private let state: Mutex<State>

    /// - Parameters:
    ///   - file: The first offer.
    ///   - need: How much room it needs.
    init(about file: OfferedFile, need: UInt64, of caller: Caller, namesakes: [KnownPeer]) {
        self.caller = caller
        self.namesakes = namesakes
        member = file.member
        state = Mutex(State(offers: [Offer(file: file, need: need)]))
    }

    // MARK: What it is about

    /// Adds an offer. Returns false if a person sees the question already.
    func add(_ file: OfferedFile, need: UInt64) -> Bool {
        state.withLock { state in
            guard state.shown == nil, !state.isOver else { return false }
            state.offers.append(Offer(file: file, need: need))
            return true
        }
    }

    /// The sender has taken an offer back. Returns false if the question was not about it, or has its answer.
    func remove(_ file: OfferedFile) -> Bool {
        let (wasThere, whenEmpty) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isOver, let index = state.offers.firstIndex(where: { $0.file === file }) else {
                return (false, nil)
            }
            state.offers.remove(at: index)
            return (true, state.offers.isEmpty ? state.whenEmpty : nil)
        }
        whenEmpty?()
        return wasThere
    }

    /// Sets what happens when the sender has taken all of it back. It happens at once if that was before.
    func whenEmpty(_ action: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            state.whenEmpty = action
            return state.offers.isEmpty
        }
        if isEmpty { action() }
    }

    /// The question has its answer. Returns what that is about, in the order in which it was offered.
    func end() -> [OfferedFile] {
        state.withLock { state in
            state.isOver = true
            state.whenEmpty = nil
            return state.offers.map(\.file)
        }
    }

    var count: Int { state.withLock { $0.offers.count } }

    /// How much room all of it needs.
    var need: UInt64 {
        state.withLock { state in
            state.offers.reduce(0) { sum, offer in
                let (all, overflow) = sum.addingReportingOverflow(offer.need)
                return overflow ? .max : all
            }
        }
    }

    /// Whether the person was shown the name of a file.
    func hasNamed(_ file: OfferedFile) -> Bool {
        state.withLock { $0.shown?.prefix(Self.mostShown).contains { $0 === file } ?? false }
    }

    // MARK: What a person sees

    func appear() {
        state.withLock { state in
            guard state.shown == nil else { return }
            state.shown = state.offers.map(\.file)
        }
    }

    private var files: [OfferedFile] { state.withLock { $0.shown ?? $0.offers.map(\.file) } }

    var text: String {
        let files = files
        let known = caller.isKnown ? "known" : "new"
        return """
            \(Self.cut(SafeText.escape(member.name))) (\(known)) wants to send \(OfferText.summary(files))
              peer ID \(member.id.key)
            """ + others + Self.list(files) + Self.warning(files)
    }

    var lastLine: String {
        let files = files
        let answers = caller.isKnown ? "[y/N/always]" : "[y/N]"
        guard files.count == 1 else { return "Take all \(OfferText.count(files))? \(answers) " }
        return "Take \(Self.cut(SafeText.escape(files[0].localName)))? \(answers) "
    }

    /// *Always* is no answer about somebody who is new: a person knows a peer once something of it was taken, or its key was verified.
    func reply(to line: String?) -> InvitationReply {
        switch line?.lowercased() {
        case "y", "yes": .accepted
        case "always" where caller.isKnown: .always
        default: .declined
        }
    }

    /// That the name is not the sender's alone. The person knows whose it is.
    private var others: String {
        guard !caller.isKnown, let first = namesakes.first else { return "" }
        let more = namesakes.count > 1 ? ", and \(namesakes.count - 1) more" : ""
        return
            "\n  somebody else is remembered as \(Self.cut(SafeText.escape(first.name.description))): \(first.key)\(more)"
    }

    private static func list(_ files: [OfferedFile]) -> String {
        guard files.count > 1 else { return "" }
        let lines = files.prefix(mostShown).map { "\n  \(OfferText.line($0))" }.joined()
        let left = files.count - mostShown
        return lines + (left > 0 ? "\n  and \(left) more" : "")
    }

    /// R15.5-3
    private static func warning(_ files: [OfferedFile]) -> String {
        let hidden = files.prefix(mostShown).filter { $0.localName.hasPrefix(".") }
        guard let first = hidden.first else { return "" }
        return files.count == 1
            ? "\n  The name begins with a dot: folders do not show it, and programs may read it without being asked."
            : "\n  Names that begin with a dot, such as \(cut(SafeText.escape(first.localName))), are not shown by folders, and "
                + "programs may read such files without being asked."
    }
}

/// What is offered, in words.
enum OfferText {
    /// One offer: `trip/, 2929 KiB`.
    static func line(_ file: OfferedFile) -> String {
        "\(SafeText.escape(file.localName))\(file.kind == .folder ? "/" : ""), \(ByteCount.text(file.size))"
    }

    /// All of them: `6 files, 12 MiB`.
    static func summary(_ files: [OfferedFile]) -> String {
        if files.count == 1 { return line(files[0]) }
        // A size has 53 bits at most, and there are few.
        return "\(count(files)), \(ByteCount.text(files.reduce(0) { $0 &+ $1.size }))"
    }

    /// How many there are: `5 files and 1 folder`.
    static func count(_ files: [OfferedFile]) -> String {
        let folders = files.count { $0.kind == .folder }
        let plain = files.count - folders
        let parts = [number(plain, "file"), number(folders, "folder")].compactMap(\.self)
        return parts.joined(separator: " and ")
    }

    private static func number(_ count: Int, _ noun: String) -> String? {
        count == 0 ? nil : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
