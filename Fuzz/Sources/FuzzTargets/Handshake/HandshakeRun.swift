import FuzzSupport
import MultipeerCore

/// Two honest links and an attacker, until everyone is silent.
struct HandshakeRun: ~Copyable {
    var initiator: HandshakeSide
    var responder: HandshakeSide
    let baseline: HandshakeBaseline
    private var attacker: Attacker
    private var queue: [Attacker.Delivery] = []
    private(set) var now = HandshakeSetting.start
    /// Whether time passed, or a stream ended: then a link may end though nobody touched its bytes.
    private(set) var isInterrupted = false

    /// Nothing here can fail: a noncopyable value is initialized as a whole or not at all.
    init(_ setting: HandshakeSetting, _ attacker: Attacker, _ baseline: HandshakeBaseline) {
        self.baseline = baseline
        self.attacker = attacker
        initiator = HandshakeSide(.initiator, setting)
        responder = HandshakeSide(.responder, setting)
    }

    mutating func run() throws {
        pass(try initiator.settle(at: now), from: .initiator, isBeginning: true)
        _ = try responder.settle(at: now)
        for _ in 0..<200 where !queue.isEmpty { try deliver(queue.removeFirst()) }
    }

    /// Lets deadlines fire until both are open, or over (R19-3).
    mutating func wait() throws {
        for _ in 0..<8 {
            if let deadline = initiator.deadline {
                now = max(now, deadline)
                _ = try initiator.take(.timeout(now))
            }
            if let deadline = responder.deadline {
                now = max(now, deadline)
                _ = try responder.take(.timeout(now))
            }
        }
        for stage in [initiator.stage, responder.stage] {
            try require(stage == .closed || stage == .open, "a link that waits for ever in \(stage)")
        }
    }

    private mutating func pass(_ bytes: [UInt8], from sender: LinkRole, isBeginning: Bool) {
        for record in HandshakeSetting.records(bytes, isBeginning: isBeginning) {
            queue += attacker.pass(record, from: sender)
        }
    }

    private mutating func deliver(_ delivery: Attacker.Delivery) throws {
        if delivery.milliseconds > 0 {
            now = now.advanced(by: .milliseconds(delivery.milliseconds))
            isInterrupted = true
        }
        if delivery.isEnd {
            isInterrupted = true
            try take(.end(now), delivery.receiver)
        }
        var rest = delivery.bytes[...]
        while !rest.isEmpty {
            let length = lengthOfNext(rest, to: delivery.receiver)
            try take(.bytes(Array(rest.prefix(length)), now), delivery.receiver)
            rest = rest.dropFirst(length)
        }
    }

    private mutating func take(_ input: HandshakeSide.Input, _ receiver: LinkRole) throws {
        let isBeginning = receiver == .responder && responder.sent.isEmpty
        let sent = receiver == .initiator ? try initiator.take(input) : try responder.take(input)
        pass(sent, from: receiver, isBeginning: isBeginning)
    }

    /// As far as the receiver's stream is an honest one a record is fed and drained by itself, as in the baseline.
    private func lengthOfNext(_ bytes: ArraySlice<UInt8>, to receiver: LinkRole) -> Int {
        let received = receiver == .initiator ? initiator.received : responder.received
        let intact = HandshakeOracle.intactRecords(received, baseline[receiver])
        guard intact.isWholeStream, intact.count < baseline[receiver].incoming.count else { return bytes.count }
        let missing = baseline[receiver].incoming[intact.count].dropFirst(intact.partial)
        return bytes.starts(with: missing) ? missing.count : bytes.count
    }
}
