import MultipeerCrypto
import MultipeerTesting
import Testing

@testable import MultipeerCore

@Suite("A peer's state of codes for all of its links, SPEC §25.3 to §25.6")
struct PairingStateTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let (one, other) = (LinkNumber(rawValue: 1), LinkNumber(rawValue: 2))
    private static func after(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

    private static func show(_ codes: inout ShownCodes, number: Int = 4, at now: Instant = start) -> ShownCode {
        var random: any RandomSource = SeededRandomSource(seed: UInt64(number) + now.nanoseconds)
        return codes.show(number: number, random: &random, at: now)
    }

    // MARK: The shown code

    @Test("A code is used only for its number, and on as many links as ask, R25.6-6")
    func attempts() {
        var codes = ShownCodes()
        let links = (1...1_000 as ClosedRange<UInt64>).map { LinkNumber(rawValue: $0) }
        let early = codes.begin(on: Self.one, number: 4, at: Self.start)
        let shown = Self.show(&codes)
        let other = codes.begin(on: Self.one, number: 5, at: Self.start)
        #expect(early == nil && other == nil)
        let answers = links.map { codes.begin(on: $0, number: 4, at: Self.start)?.code }
        #expect(answers.allSatisfy { $0 == shown.code })
    }

    @Test(
        "The first CODE_CONFIRM burns the code for all links, and the end of a link before it does not, R25.5-5, R25.6-8"
    )
    func burning() {
        var codes = ShownCodes()
        let shown = Self.show(&codes)
        _ = codes.begin(on: Self.one, number: 4, at: Self.start)
        let left = codes.ended(Self.one)
        #expect(left == .abandoned && codes.current(at: Self.start) == shown)
        let attempts = [Self.one, Self.other].map { codes.begin(on: $0, number: 4, at: Self.start) }
        let guesses = (attempts + attempts).map { $0?.takeGuess() }
        #expect(guesses == [true, false, false, false])
        // The link has not reported yet.
        let late = codes.begin(on: Self.other, number: 4, at: Self.start)
        #expect(late == nil)
        codes.burn(on: Self.one)
        #expect(codes.current(at: Self.start) == nil && codes.deadline == nil)
        let ends = [codes.ended(Self.other), codes.ended(Self.one)]
        #expect(ends == [.none, .wrong])
    }

    @Test("A new code is not burned by an attempt at the old one")
    func replaced() {
        var codes = ShownCodes()
        _ = Self.show(&codes)
        let old = codes.begin(on: Self.one, number: 4, at: Self.start)
        let new = Self.show(&codes, number: 5)
        let other = codes.begin(on: Self.other, number: 5, at: Self.start)
        #expect(other?.code == new.code && other !== old)
        #expect(old?.takeGuess() == true)
        codes.burn(on: Self.one)
        #expect(codes.current(at: Self.start) == new && other?.isBurned == false)
        codes.verified(on: Self.one)
        let end = codes.ended(Self.one)
        #expect(end == .none)
    }

    @Test("A code lives for ten minutes, SPEC §25.4")
    func expiry() {
        var codes = ShownCodes()
        let shown = Self.show(&codes)
        #expect(shown.expiry == Self.after(600) && codes.deadline == shown.expiry)
        let (early, late) = (Self.after(599), Self.after(600))
        let isEarly = codes.expire(at: early)
        let begun = codes.begin(on: Self.one, number: 4, at: early)
        #expect(!isEarly && begun?.code == shown.code)
        _ = codes.ended(Self.one)
        let begunLate = codes.begin(on: Self.one, number: 4, at: late)
        #expect(codes.current(at: late) == nil && begunLate == nil)
        let expiries = [codes.expire(at: late), codes.expire(at: late)]
        #expect(expiries == [true, false] && codes.deadline == nil)
        _ = Self.show(&codes)
        codes.hide()
        #expect(codes.current(at: Self.start) == nil)
    }

    @Test("The sixth code in an hour after wrong confirmations warns that somebody may be guessing, SPEC §25.5")
    func guessing() {
        var codes = ShownCodes()
        func show(at seconds: Int, thenWrong: Bool = true) -> Bool {
            let isSuspected = Self.show(&codes, at: Self.after(seconds)).isGuessingSuspected
            _ = codes.begin(on: Self.one, number: 4, at: Self.after(seconds))
            codes.guess(on: Self.one)
            if thenWrong { _ = codes.ended(Self.one) } else { codes.verified(on: Self.one) }
            return isSuspected
        }
        // The first is after no wrong one.
        let silent = (0...5).map { show(at: $0 * 60) }
        #expect(!silent.contains(true))
        let told = [show(at: 360), show(at: 420, thenWrong: false)]
        #expect(told == [true, true])
        // That one was right, so the next is after no wrong one; and an hour after the second there is room again.
        let later = [show(at: 480), show(at: 60 + 3_600)]
        #expect(later == [false, false])
    }

    // MARK: Typed codes

    @Test("A burned code is refused for ten minutes, for every peer, R25.5-6")
    func typed() throws {
        var codes = TypedCodes()
        let code = Pairings.code
        try codes.check(code, at: Self.start)
        codes.give(code, on: Self.one)
        // It is being tried.
        #expect(throws: NodeRequestError.codeUsed) { try codes.check(code, at: Self.start) }
        codes.release(Self.one)
        try codes.check(code, at: Self.start)
        codes.give(code, on: Self.one)
        codes.burn(on: Self.one, at: Self.start)
        codes.release(Self.one)
        #expect(throws: NodeRequestError.codeUsed) { try codes.check(code, at: Self.after(599)) }
        try codes.check(Pairings.other, at: Self.start)
        #expect(codes.deadline == Self.after(600))
        try codes.check(code, at: Self.after(600))
        #expect(codes.deadline == nil)
    }

    @Test("At most 256 burned codes are remembered, and none displaces another, R25.5-6")
    func bounded() throws {
        var codes = TypedCodes()
        for index in 0..<TypedCodes.mostBurned {
            let code = Pairings.typed("\(1 + index)-tulip-orbit")
            try codes.check(code, at: Self.start)
            codes.give(code, on: Self.one)
            codes.burn(on: Self.one, at: Self.start)
        }
        #expect(throws: NodeRequestError.tooManyCodes) { try codes.check(Pairings.other, at: Self.start) }
        #expect(throws: NodeRequestError.codeUsed) { try codes.check(Pairings.typed("1-tulip-orbit"), at: Self.start) }
        try codes.check(Pairings.other, at: Self.after(600))
    }

    // MARK: Short strings

    @Test("Ten unconfirmed exchanges in an hour, SPEC §25.3")
    func comparisons() {
        var limit = ComparisonLimit()
        for index in 0..<10 {
            let link = LinkNumber(rawValue: UInt64(index))
            let may = limit.mayBegin(at: Self.after(index))
            #expect(may)
            limit.begin(on: link, at: Self.after(index))
        }
        var answers = [limit.mayBegin(at: Self.after(100))]
        limit.confirm(LinkNumber(rawValue: 3))
        answers.append(limit.mayBegin(at: Self.after(100)))
        limit.begin(on: Self.one, at: Self.after(100))
        answers += [limit.mayBegin(at: Self.after(3_599)), limit.mayBegin(at: Self.after(3_600))]
        #expect(answers == [false, true, false, true])
    }
}
