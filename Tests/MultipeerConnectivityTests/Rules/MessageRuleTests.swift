import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Testing

@Suite("Rule 8: messages", .endsIfItHangs)
struct MessageRuleTests {
    @Test("Messages keep their boundaries and their order, also empty and long ones")
    func boundaries() async throws {
        let (anna, ben) = try await Device.pair()
        let lengths = [0, 1, 2, 16_384, 65_535, 65_536, 1_000_000, 0, 3]
        for (index, length) in lengths.enumerated() {
            try anna.session.send(
                Data(repeating: UInt8(index), count: length), toPeers: [ben.id], with: .reliable)
        }
        try await eventually { ben.told.messages(from: anna.id).count == lengths.count }
        let expected = lengths.enumerated().map { Data(repeating: UInt8($0), count: $1) }
        #expect(ben.told.messages(from: anna.id) == expected)
    }

    @Test("A slice of data is sent unchanged")
    func slices() async throws {
        let (anna, ben) = try await Device.pair()
        try anna.session.send(Data([1, 2, 3, 4, 5])[2..<4], toPeers: [ben.id], with: .reliable)
        try await eventually { ben.told.messages(from: anna.id) == [Data([3, 4])] }
    }

    @Test("send does not wait, even for a peer that reads nothing")
    func doesNotBlock() async throws {
        let (anna, ben) = try await Device.pair()
        let gate = ben.told.block()
        for number in 0..<200 {
            try anna.session.send(
                Data(repeating: UInt8(number), count: 65_536), toPeers: [ben.id], with: .reliable)
        }
        // A call that waited would wait for ever: the gate is opened after it.
        #expect(ben.told.messages(from: anna.id).count <= 1)
        gate.signal()
        try await eventually { ben.told.messages(from: anna.id).count == 200 }
        #expect(ben.told.messages(from: anna.id).map(\.first) == (0..<200).map { UInt8($0) })
    }

    @Test("A burst of short unreliable messages to an idle peer arrives whole, in any order")
    func burst() async throws {
        // Time does not advance: nothing has waited for long.
        let (anna, ben) = (Device("Anna", clock: ManualClock()), Device("Ben"))
        try await Device.connect(anna, ben)
        for number in 0..<10 { try anna.send("\(number)", to: ben, mode: .unreliable) }
        try anna.send("end", to: ben)
        // The first go over the link, and the others as datagrams, as soon as these have a path.
        let sent = (0..<10).map { "\($0)" } + ["end"]
        try await eventually { ben.told.texts(from: anna.id).sorted() == sent.sorted() }
    }

    @Test("An unreliable message is sent at once, past others that wait, or dropped")
    func unreliable() async throws {
        let (anna, ben) = try await Device.pair()
        try anna.send("at once", to: ben, mode: .unreliable)
        try await eventually { ben.told.texts(from: anna.id) == ["at once"] }
        // More than any window takes, so that the rest waits.
        let gate = ben.told.block()
        for _ in 0..<16 { try anna.session.send(Data(count: 1_048_576), toPeers: [ben.id], with: .reliable) }
        for _ in 0..<150 { try anna.send("now or never", to: ben, mode: .unreliable) }
        try anna.send("end", to: ben)
        gate.signal()
        try await eventually { ben.told.texts(from: anna.id).contains("end") }
        let came = ben.told.messages(from: anna.id).count { $0 == Data("now or never".utf8) }
        // How many are dropped depends on whether there is a path yet, and on how fast this loop was. None comes twice.
        #expect(came <= 150)
        try await eventually { ben.told.messages(from: anna.id).count { $0.count == 1_048_576 } == 16 }
    }

    @Test("An addressee that is not connected is an error, and then nobody gets the message")
    func notConnected() async throws {
        let (anna, ben) = try await Device.pair()
        let stranger = Device("Cleo")
        for mode in [MCSessionSendDataMode.reliable, .unreliable] {
            let error = #expect(throws: MCError.self) {
                try anna.session.send(Data([1]), toPeers: [ben.id, stranger.id], with: mode)
            }
            #expect(error?.code == .notConnected)
        }
        try anna.send("after", to: ben)
        try await eventually { !ben.told.messages(from: anna.id).isEmpty }
        #expect(ben.told.texts(from: anna.id) == ["after"])
    }

    @Test("A message without addressees, and one that is too long, are invalid parameters")
    func invalid() async throws {
        let (anna, ben) = try await Device.pair()
        let nobody = #expect(throws: MCError.self) {
            try anna.session.send(Data([1]), toPeers: [], with: .reliable)
        }
        #expect(nobody?.code == .invalidParameter)
        let long = #expect(throws: MCError.self) {
            try anna.session.send(Data(count: 16 * 1_048_576 + 1), toPeers: [ben.id], with: .reliable)
        }
        #expect(long?.code == .invalidParameter)
        #expect(anna.connected == ["Ben"])
    }

    @Test("Several get the same message, and a peer that sends to itself learns that it is not connected")
    func several() async throws {
        let (anna, ben) = try await Device.pair()
        let cleo = Device("Cleo")
        try await Device.connect(anna, cleo)
        try anna.session.send(Data("both".utf8), toPeers: anna.session.connectedPeers, with: .reliable)
        for device in [ben, cleo] { try await eventually { device.told.texts(from: anna.id) == ["both"] } }
        let own = #expect(throws: MCError.self) {
            try anna.session.send(Data([1]), toPeers: [anna.id], with: .reliable)
        }
        #expect(own?.code == .notConnected)
    }
}
