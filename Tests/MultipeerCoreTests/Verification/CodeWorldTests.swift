import MultipeerCrypto
import MultipeerTesting
import Testing

@testable import MultipeerCore

/// Every history of a small world is played, so that no order of links, guesses and codes is left out.
@Suite("All histories of codes on three links, SPEC §25.5, §25.6")
struct CodeWorldTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    // MARK: Presenting

    /// What can happen at a presenter. A guess compares with the code only if the link takes it.
    private enum Event: Hashable {
        case show, hide
        case begin(Int)
        case confirm(Int)
        case end(Int)
    }

    /// A presenter with three links, and what the strangers there have learnt.
    private struct Presenter {
        private var codes = ShownCodes()
        private var number = 0
        private var attempts: [Int: PresentedCode] = [:]
        private var shown: OneTimeCode?
        /// How many guesses were compared with each code.
        private(set) var guesses: [OneTimeCode: Int] = [:]
        /// Whether a code that was good was denied to anybody, or one that is not was answered with.
        private(set) var isWrong = false

        mutating func play(_ event: Event) {
            switch event {
            case .show:
                number += 1
                var random: any RandomSource = SeededRandomSource(seed: UInt64(number))
                shown = codes.show(number: number, random: &random, at: start).code
            case .hide:
                codes.hide()
                shown = nil
            case .begin(let link):
                let answer = codes.begin(on: LinkNumber(rawValue: UInt64(link)), number: number, at: start)
                let isGood = shown.map { guesses[$0] == nil } ?? false
                if (answer != nil) != isGood || answer.map({ $0.code != shown }) ?? false { isWrong = true }
                attempts[link] = answer
            case .confirm(let link):
                guard let code = attempts[link], code.takeGuess() else { return }
                codes.burn(on: LinkNumber(rawValue: UInt64(link)))
                guesses[code.code, default: 0] += 1
                if codes.current(at: start)?.code == code.code { isWrong = true }
            case .end(let link):
                let end = codes.ended(LinkNumber(rawValue: UInt64(link)))
                let code = attempts.removeValue(forKey: link)
                // The app hears of an attempt that was left exactly while its code is good.
                let isLeft = code.map { guesses[$0.code] == nil } ?? false
                if (end == .abandoned) != isLeft { isWrong = true }
            }
        }

        private let start = CodeWorldTests.start
    }

    /// All histories of a length: a link begins once, and confirms and ends after that.
    private static func histories(_ length: Int, _ visit: ([Event]) -> Void) {
        var history: [Event] = []
        func extend(_ begun: Int, _ open: Set<Int>) {
            visit(history)
            guard history.count < length else { return }
            func step(_ event: Event, _ begun: Int, _ open: Set<Int>) {
                history.append(event)
                extend(begun, open)
                history.removeLast()
            }
            step(.show, begun, open)
            step(.hide, begun, open)
            // Links differ by nothing but the order in which they begin.
            if begun < 3 { step(.begin(begun), begun + 1, open.union([begun])) }
            for link in open.sorted() {
                step(.confirm(link), begun, open)
                step(.end(link), begun, open.subtracting([link]))
            }
        }
        extend(0, [])
    }

    @Test("However many links try a code, it answers one guess, and until then no link is refused")
    func oneGuess() {
        var (played, most, wrong) = (0, 0, [[Event]]())
        Self.histories(7) { history in
            var presenter = Presenter()
            for event in history { presenter.play(event) }
            played += 1
            most = max(most, presenter.guesses.values.max() ?? 0)
            if presenter.isWrong || presenter.guesses.values.contains(where: { $0 > 1 }) { wrong.append(history) }
        }
        #expect(wrong.first == nil)
        #expect(played == 45_134 && most == 1)
    }

    // MARK: Typing

    @Test("However many peers a code is given to, only one of them learns whether it is right")
    func oneBurn() {
        let code = Pairings.code
        var wrong: [[Event]] = []
        var most = 0
        Self.histories(7) { history in
            var (codes, given, burns) = (TypedCodes(), Set<Int>(), 0)
            for event in history {
                switch event {
                case .show, .hide: break
                case .begin(let link):
                    guard (try? codes.check(code, at: Self.start)) != nil else { break }
                    codes.give(code, on: LinkNumber(rawValue: UInt64(link)))
                    given.insert(link)
                case .confirm(let link) where given.remove(link) != nil:
                    codes.burn(on: LinkNumber(rawValue: UInt64(link)), at: Self.start)
                    burns += 1
                case .confirm: break
                case .end(let link):
                    codes.release(LinkNumber(rawValue: UInt64(link)))
                    given.remove(link)
                }
            }
            most = max(most, burns)
            if burns > 1 || given.count > 1 { wrong.append(history) }
        }
        #expect(wrong.first == nil && most == 1)
    }
}
