import MultipeerCrypto
import MultipeerTesting
import Testing

@testable import MultipeerCore

@Suite("What a peer keeps of codes for all of its links, SPEC §25.3 to §25.6")
struct VerificationBookTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let (one, other) = (LinkNumber(rawValue: 1), LinkNumber(rawValue: 2))
    private static func after(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

    private static func show(_ codes: inout ShownCodes, number: Int = 4, at now: Instant = start) -> ShownCode {
        var random: any RandomSource = SeededRandomSource(seed: UInt64(number) + now.nanoseconds)
        return codes.show(number: number, random: &random, at: now)
    }

    // MARK: The shown code

    @Test("A code is answered with for its number only, and by one link at a time, R25.6-6")
    func oneAttempt() {
        var codes = ShownCodes()
        #expect(codes.begin(on: Self.one, number: 4, at: Self.start) == nil)
        let shown = Self.show(&codes)
        #expect(codes.begin(on: Self.one, number: 5, at: Self.start) == nil)
        #expect(codes.begin(on: Self.one, number: 4, at: Self.start) == shown.code)
        #expect(codes.begin(on: Self.other, number: 4, at: Self.start) == nil)
        // What is not that link's attempt ends nothing of it.
        codes.ended(Self.other)
        #expect(codes.begin(on: Self.other, number: 4, at: Self.start) == nil)
        codes.ended(Self.one)
        #expect(codes.begin(on: Self.other, number: 4, at: Self.start) == shown.code)
    }

    @Test("CODE_CONFIRM burns the code, and the end of the link before it does not, R25.5-5, R25.6-8")
    func burning() {
        var codes = ShownCodes()
        let shown = Self.show(&codes)
        _ = codes.begin(on: Self.one, number: 4, at: Self.start)
        codes.ended(Self.one)
        #expect(codes.current(at: Self.start) == shown)
        _ = codes.begin(on: Self.one, number: 4, at: Self.start)
        codes.burn(on: Self.other)
        #expect(codes.current(at: Self.start) == shown)
        codes.burn(on: Self.one)
        #expect(codes.current(at: Self.start) == nil && codes.deadline == nil)
        codes.verified(on: Self.one)
        #expect(codes.begin(on: Self.other, number: 4, at: Self.start) == nil)
    }

    @Test("A new code is not burned by the attempt at the one before")
    func replaced() {
        var codes = ShownCodes()
        _ = Self.show(&codes)
        _ = codes.begin(on: Self.one, number: 4, at: Self.start)
        let new = Self.show(&codes, number: 5)
        #expect(codes.begin(on: Self.other, number: 5, at: Self.start) == nil, "one attempt at a time")
        codes.burn(on: Self.one)
        #expect(codes.current(at: Self.start) == new)
        codes.verified(on: Self.one)
        #expect(codes.begin(on: Self.other, number: 5, at: Self.start) == new.code)
    }

    @Test("A code lives for ten minutes, SPEC §25.4")
    func expiry() {
        var codes = ShownCodes()
        let shown = Self.show(&codes)
        #expect(shown.expiry == Self.after(600) && codes.deadline == shown.expiry)
        let (early, late) = (Self.after(599), Self.after(600))
        #expect(!codes.expire(at: early) && codes.begin(on: Self.one, number: 4, at: early) != nil)
        codes.ended(Self.one)
        #expect(codes.current(at: late) == nil && codes.begin(on: Self.one, number: 4, at: late) == nil)
        #expect(codes.expire(at: late) && !codes.expire(at: late) && codes.deadline == nil)
        _ = Self.show(&codes)
        codes.hide()
        #expect(codes.current(at: Self.start) == nil)
    }

    @Test("The sixth code within an hour after wrong confirmations tells that somebody may be guessing, SPEC §25.5")
    func guessing() {
        var codes = ShownCodes()
        func show(at seconds: Int, thenWrong: Bool = true) -> Bool {
            let isSuspected = Self.show(&codes, at: Self.after(seconds)).isGuessingSuspected
            _ = codes.begin(on: Self.one, number: 4, at: Self.after(seconds))
            codes.burn(on: Self.one)
            if thenWrong { codes.ended(Self.one) } else { codes.verified(on: Self.one) }
            return isSuspected
        }
        // The first is after no wrong one.
        for index in 0...5 { #expect(!show(at: index * 60), "\(index)") }
        #expect(show(at: 360) && show(at: 420, thenWrong: false))
        // That one was right, so the next is after no wrong one.
        #expect(!show(at: 480))
        // An hour after the second.
        #expect(!show(at: 60 + 3_600))
        #expect(!show(at: 60 + 3_601 + 60))
    }

    // MARK: Typed codes

    @Test("A burned code is refused for ten minutes, whichever peer it is for, R25.5-6")
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

    @Test("No more than 256 burned codes are remembered, and none is forgotten for another, R25.5-6")
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

    @Test("Ten exchanges within an hour that nobody confirmed, SPEC §25.3")
    func comparisons() {
        var limit = ComparisonLimit()
        for index in 0..<10 {
            let link = LinkNumber(rawValue: UInt64(index))
            #expect(limit.mayBegin(at: Self.after(index)))
            limit.begin(on: link, at: Self.after(index))
        }
        #expect(!limit.mayBegin(at: Self.after(100)))
        limit.confirm(LinkNumber(rawValue: 3))
        #expect(limit.mayBegin(at: Self.after(100)))
        limit.begin(on: Self.one, at: Self.after(100))
        #expect(!limit.mayBegin(at: Self.after(3_599)))
        #expect(limit.mayBegin(at: Self.after(3_600)))
    }
}
