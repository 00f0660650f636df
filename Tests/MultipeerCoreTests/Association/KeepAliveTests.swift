import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Keep-alive, SPEC §13.7")
struct KeepAliveTests {
    static let start = Instant(nanoseconds: 1_000_000_000)

    static func at(_ milliseconds: Int64) -> Instant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test("PING after 5 s, again after 10 s, failure after 15 s, exactly (R13.7-3, R18-2)")
    func silence() throws {
        var alive = KeepAlive(times: KeepAliveTimes(), now: Self.start)
        var pings: [[UInt8]] = []
        for time in stride(from: Int64(0), to: 15_000, by: 1_000) {
            try alive.timeout(at: Self.at(time))
            if alive.hasFrame { pings.append(try #require(alive.takeFrames(at: Self.at(time)).ping).data) }
            #expect(pings.count == Int(time) / 5_000)
            #expect(try #require(alive.deadline) > Self.at(time))
        }
        #expect(pings == [[0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 2]])
        try alive.timeout(at: Self.at(14_999))
        #expect(cause { () throws(LinkFailureCause) in try alive.timeout(at: Self.at(15_000)) } == .silent)
    }

    @Test("Any record shows life, and moves no timer before it is due")
    func heard() throws {
        var alive = KeepAlive(times: KeepAliveTimes(), now: Self.start)
        for time in stride(from: Int64(1_000), through: 60_000, by: 1_000) {
            let deadline = alive.deadline
            alive.heard(at: Self.at(time))
            #expect(alive.deadline == deadline)
            try alive.timeout(at: Self.at(time))
            #expect(!alive.hasFrame)
        }
        // The last record came at 60 s.
        try alive.timeout(at: Self.at(64_999))
        #expect(!alive.hasFrame)
        try alive.timeout(at: Self.at(65_000))
        #expect(alive.hasFrame)
    }

    @Test("PONG repeats the last PING; the peer's PONG gives the round trip (R13.7-1, R13.7-2)")
    func pong() throws {
        var alive = KeepAlive(times: nil, now: Self.start)
        #expect(alive.deadline == nil)
        alive.receive(Ping(data: [UInt8](repeating: 1, count: 8)))
        alive.receive(Ping(data: [UInt8](repeating: 2, count: 8)))
        #expect(alive.takeFrames(at: Self.start).pong?.data == [UInt8](repeating: 2, count: 8))
        #expect(!alive.hasFrame)
        let isAnswer1 = alive.receive(Pong(data: [UInt8](repeating: 0, count: 8)), at: Self.start)
        #expect(!isAnswer1)
        #expect(alive.roundTrip == nil)

        var asking = KeepAlive(times: KeepAliveTimes(), now: Self.start)
        try asking.timeout(at: Self.at(5_000))
        let ping = try #require(asking.takeFrames(at: Self.at(5_000)).ping)
        let isAnswer2 = asking.receive(Pong(data: [UInt8](repeating: 9, count: 8)), at: Self.at(5_010))
        #expect(!isAnswer2)
        #expect(asking.roundTrip == nil)
        let isAnswer3 = asking.receive(Pong(data: ping.data), at: Self.at(5_020))
        #expect(!isAnswer3)
        #expect(asking.roundTrip == .milliseconds(20))
        let isAnswer4 = asking.receive(Pong(data: ping.data), at: Self.at(5_090))
        #expect(!isAnswer4)
        #expect(asking.roundTrip == .milliseconds(20))
    }

    @Test(
        "A probe: PING at once, and the PONG of that PING or a later one answers it (R8.7-7)", arguments: [true, false])
    func probe(isUsual: Bool) throws {
        var alive = KeepAlive(times: isUsual ? KeepAliveTimes() : nil, now: Self.start)
        alive.probe(within: .seconds(2), at: Self.at(1_000))
        #expect(alive.hasFrame && alive.deadline == Self.at(3_000))
        let ping = try #require(alive.takeFrames(at: Self.at(1_000)).ping)
        let isAnswer5 = alive.receive(Pong(data: [UInt8](repeating: 9, count: 8)), at: Self.at(1_010))
        #expect(!isAnswer5)
        let isAnswer6 = alive.receive(Pong(data: ping.data), at: Self.at(1_020))
        #expect(isAnswer6)
        let isAnswer7 = alive.receive(Pong(data: ping.data), at: Self.at(1_030))
        #expect(!isAnswer7)
        // It is over: the usual times hold again.
        alive.heard(at: Self.at(1_020))
        try alive.timeout(at: Self.at(3_100))
        #expect(alive.deadline == (isUsual ? Self.at(6_020) : nil))
    }

    @Test(
        "A peer that is probed may be silent for 2 s, from the PING or from its last record (R8.7-7)",
        arguments: [true, false])
    func probedSilence(isUsual: Bool) throws {
        var alive = KeepAlive(times: isUsual ? KeepAliveTimes() : nil, now: Self.start)
        alive.probe(within: .seconds(2), at: Self.at(1_000))
        _ = alive.takeFrames(at: Self.at(1_000))
        alive.heard(at: Self.at(2_500))
        try alive.timeout(at: Self.at(3_000))
        #expect(alive.deadline == Self.at(4_500))
        // What has come may disprove it.
        try alive.timeout(at: Self.at(4_500), judgesSilence: false)
        #expect(cause { () throws(LinkFailureCause) in try alive.timeout(at: Self.at(4_500)) } == .silent)
    }

    @Test("Without a limit a silent peer gets PING for ever")
    func noLimit() throws {
        var alive = KeepAlive(times: KeepAliveTimes(ping: .seconds(1), silence: nil), now: Self.start)
        var count = 0
        for time in stride(from: Int64(0), through: 100_000, by: 500) {
            try alive.timeout(at: Self.at(time))
            if alive.takeFrames(at: Self.at(time)).ping != nil { count += 1 }
        }
        #expect(count == 100)
    }
}

@Suite("Acknowledging frames, SPEC §13.6")
struct AckStateTests {
    static let start = KeepAliveTests.start

    @Test("ACK is due with 64 frames, with 65,536 bytes, or 20 ms after the first (R13.6-1)")
    func thresholds() {
        var state = AckState()
        #expect(!state.hasNews && state.takeFrame() == nil)
        for count in 1...64 {
            #expect(!state.isDue)
            state.processed(10, at: Self.start)
            #expect(state.hasNews && state.isDue == (count == 64))
        }
        #expect(state.takeFrame() == Ack(count: 64) && !state.isDue && state.takeFrame() == nil)
        state.processed(65_535, at: Self.start)
        #expect(!state.isDue)
        state.processed(1, at: Self.start)
        #expect(state.isDue && state.takeFrame() == Ack(count: 66))
    }

    @Test("The timer moves only when it fires, and never fires too late")
    func timer() throws {
        var state = AckState()
        func at(_ milliseconds: Int64) -> Instant { Self.start.advanced(by: .milliseconds(milliseconds)) }
        state.processed(1, at: at(0))
        #expect(state.deadline == at(20))
        _ = state.takeFrame()
        state.processed(1, at: at(15))
        #expect(state.deadline == at(20))
        state.timeout(at: at(20))
        #expect(!state.isDue && state.deadline == at(35))
        state.timeout(at: at(34))
        #expect(!state.isDue)
        state.timeout(at: at(35))
        #expect(state.isDue && state.deadline == nil)
        #expect(state.takeFrame() == Ack(count: 2))
        state.timeout(at: at(90))
        #expect(!state.isDue)
        state.processed(1, at: at(100))
        _ = state.takeFrame()
        state.timeout(at: at(120))
        #expect(state.deadline == nil)
    }
}
