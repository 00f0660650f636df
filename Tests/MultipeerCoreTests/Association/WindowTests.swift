import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// What `body` throws; nil when it does not.
func cause(_ body: () throws(LinkFailureCause) -> Void) -> LinkFailureCause? {
    do throws(LinkFailureCause) {
        try body()
        return nil
    } catch {
        return error
    }
}

@Suite("Windows of credit, SPEC §13.3, §13.4")
struct WindowTests {
    @Test("Received bytes are judged exactly at the limit that the peer knows (R13.3-1)")
    func receiving() {
        var window = ReceiveWindow(limit: 100, window: 100)
        #expect(cause { () throws(LinkFailureCause) in try window.use(100) } == nil)
        #expect(cause { () throws(LinkFailureCause) in try window.use(0) } == nil)
        #expect(cause { () throws(LinkFailureCause) in try window.use(1) } == .violation(.creditExceeded))
        window.want(149)
        #expect(window.isDue && window.hasMore)
        // Meant, and not said.
        #expect(cause { () throws(LinkFailureCause) in try window.use(1) } == .violation(.creditExceeded))
        window.want(120)
        window.want(150)
        #expect(window.isDue && window.announce() == 150 && !window.hasMore && !window.isDue)
        #expect(cause { () throws(LinkFailureCause) in try window.use(50) } == nil)
        #expect(cause { () throws(LinkFailureCause) in try window.use(1) } == .violation(.creditExceeded))
        #expect(window.used == 150)
        window.want(.max)
        #expect(window.announce() == VarInt.maximum)
        #expect(cause { () throws(LinkFailureCause) in try window.use(VarInt.maximum) } != nil)
        #expect(cause { () throws(LinkFailureCause) in try window.use(VarInt.maximum - 150) } == nil)
    }

    @Test("CREDIT may wait while half of the window is unused, and only then (R13.5-1, R13.5-2)")
    func halfUnused() throws {
        for size in [1, 2, 3, 32, 33, 32_768] as [UInt64] {
            for used in 0...min(size, 40) {
                var window = ReceiveWindow(limit: size, window: size)
                try window.use(used)
                #expect(!window.isDue, "nothing to grant")
                window.release(used)
                #expect(window.isDue == (used > 0 && 2 * (size - used) < size), "\(used) of \(size)")
                #expect(window.wanted == size + used)
            }
        }
        // What the app takes before and the peer uses later counts together.
        var window = ReceiveWindow(limit: 100, window: 100)
        try window.use(30)
        window.release(30)
        #expect(!window.isDue)
        try window.use(20)
        #expect(!window.isDue)
        try window.use(1)
        #expect(window.isDue && window.announce() == 130)
        window.release(51, cap: 140)
        #expect(window.wanted == 140)
        window.grow(by: 1_000)
        window.release(51)
        #expect(window.wanted == 1_151)
    }

    @Test("A limit that does not rise is malformed (R13.4-2)")
    func sending() {
        var window = SendWindow(limit: 10)
        for limit: UInt64 in [0, 9, 10] {
            let wrong = malformed(.valueOutOfRange, .creditLimit)
            #expect(cause { () throws(LinkFailureCause) in try window.raise(to: limit) } == wrong)
        }
        window.use(7)
        #expect(window.room == 3)
        #expect(cause { () throws(LinkFailureCause) in try window.raise(to: VarInt.maximum) } == nil)
        #expect(window.room == VarInt.maximum - 7 && window.roomInBytes == Int(VarInt.maximum - 7))
        window.use(.max)
        #expect(window.room == 0)
        #expect(SendWindow(limit: 5, used: 9).room == 0)
    }
}

@Suite("Numbers of streams and files, SPEC §13.2")
struct NumberSpaceTests {
    static let frames: [(type: FrameType, about: LiveKind)] = [
        (.credit, .stream), (.streamData, .stream), (.streamEnd, .stream), (.streamReset, .stream),
        (.streamStop, .stream), (.credit, .file), (.fileAccept, .file), (.fileCancel, .file), (.fileData, .file),
        (.fileEnd, .file), (.fileDone, .file),
    ]

    @Test("A peer's numbers are the next ones of its parity, and no others (R13.2-1)", arguments: [0, 1] as [UInt64])
    func sequence(own: UInt64) throws {
        let parity = try #require(NumberParity(rawValue: own))
        var numbers = NumberSpace(own: parity)
        #expect((0..<3).map { _ in numbers.takeOwn() } == [own, own + 2, own + 4])
        let peer = 1 - own
        for (index, wrong) in [[peer + 2, own, own + 6], [peer, peer + 4, own + 2]].enumerated() {
            for id in wrong {
                let error = cause { () throws(LinkFailureCause) in try numbers.begin(id, in: .streamID) }
                #expect(error == malformed(.valueOutOfRange, .streamID), "\(id)")
            }
            try numbers.begin(peer + UInt64(index) * 2, in: .fileID)
        }
        #expect(numbers.hasBegun(peer + 2) && !numbers.hasBegun(peer + 4))
        #expect(numbers.hasBegun(own + 4) && !numbers.hasBegun(own + 6))
    }

    /// What SPEC §13.2, R13.4-3 and R15.3-12 say of a frame and a number.
    static func verdict(_ type: FrameType, _ about: LiveKind, isOwn: Bool, standing: Int) -> Bool? {
        switch standing {
        case 0: return nil  // unused
        case 1: return [.credit, .streamStop, .fileAccept, .fileCancel, .fileDone].contains(type) ? false : nil
        case 2: if about == .file { return nil }
        default: if about == .stream { return nil }
        }
        if about == .stream || type == .fileCancel { return true }
        return (type == .fileData || type == .fileEnd) == isOwn ? nil : true
    }

    @Test("Every frame on every number: unused, ended, a live stream, a live file (R13.2-2, R13.2-3, R15.3-12)")
    func everyPair() throws {
        var numbers = NumberSpace(own: .even)
        _ = numbers.takeOwn()
        try numbers.begin(1, in: .streamID)
        for (type, about) in Self.frames {
            for (standing, live) in [nil, nil, LiveKind.stream, .file].enumerated() {
                for isOwn in [true, false] {
                    let id: UInt64 = (standing == 0 ? 2 : 0) + (isOwn ? 0 : 1)
                    var answer: Bool?
                    let error = cause { () throws(LinkFailureCause) in
                        answer = try numbers.admits(type, about: about, naming: id, live: live)
                    }
                    let expected = Self.verdict(type, about, isOwn: isOwn, standing: standing)
                    #expect(answer == expected, "\(type) \(about) \(id) \(standing)")
                    #expect(error == (expected == nil ? unexpected(type) : nil))
                }
            }
        }
    }
}
