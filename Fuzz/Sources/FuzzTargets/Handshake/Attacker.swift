import FuzzSupport
import MultipeerCore

/// An attacker between two links, which does with each record what the input says.
struct Attacker {
    /// What is done with one record.
    enum Action: Int, CaseIterable {
        case xor, set, insert, remove, drop, duplicate, reflect, bounce, truncate, hold, replace, prepend, replay, cross
        case splice, end, wait
    }

    struct Operation {
        let action: Action
        let place: Int
        let value: UInt8
        let bytes: [UInt8]
    }

    /// What reaches somebody: bytes, the end of the stream, or nothing but time.
    struct Delivery {
        let receiver: LinkRole
        var bytes: [UInt8] = []
        var isEnd = false
        var milliseconds = 0
    }

    private var operations: [Int: [Operation]] = [:]
    private var passed: [LinkRole: [[UInt8]]] = [.initiator: [], .responder: []]
    private var held: [LinkRole: [UInt8]] = [:]
    private let otherSession: HandshakeBaseline

    /// Up to sixteen operations: whose record, which, what, where, with what.
    init(_ choices: inout Choices, otherSession: HandshakeBaseline) {
        self.otherSession = otherSession
        for _ in 0..<16 where !choices.isEmpty {
            let target = Int(choices.byte() & 0x0F)
            let action = Action.allCases[choices.int(below: Action.allCases.count)]
            let needsBytes = action == .insert || action == .replace || action == .prepend
            let operation = Operation(
                action: action, place: Int(choices.uint16()), value: choices.byte(),
                bytes: needsBytes ? choices.bytes(upTo: 255) : [])
            operations[target, default: []].append(operation)
        }
    }

    var isIdle: Bool { operations.isEmpty }

    /// What becomes of the next record of `sender`.
    mutating func pass(_ record: [UInt8], from sender: LinkRole) -> [Delivery] {
        let index = passed[sender]?.count ?? 0
        passed[sender]?.append(record)
        var hands = Hands(record: record, sender: sender)
        if index < 8 {
            for operation in operations[index * 2 + Int(sender.byte)] ?? [] {
                apply(operation, index, &hands)
            }
        }
        var deliveries = hands.before
        if hands.isHeld {
            held[sender] = hands.record
        } else {
            deliveries.append(Delivery(receiver: sender.peer, bytes: hands.record))
            if let late = held.removeValue(forKey: sender) {
                deliveries.append(Delivery(receiver: sender.peer, bytes: late))
            }
        }
        return (deliveries + hands.behind).filter { !$0.bytes.isEmpty || $0.isEnd || $0.milliseconds > 0 }
    }

    /// A record under way.
    private struct Hands {
        var record: [UInt8]
        let sender: LinkRole
        var isHeld = false
        var before: [Delivery] = []
        var behind: [Delivery] = []

        mutating func add(_ bytes: [UInt8]) { behind.append(Delivery(receiver: sender.peer, bytes: bytes)) }
    }

    private func apply(_ operation: Operation, _ index: Int, _ hands: inout Hands) {
        let count = hands.record.count
        let place = operation.place % max(count, 1)
        switch operation.action {
        case .xor: if count > 0 { hands.record[place] ^= operation.value == 0 ? 0x80 : operation.value }
        case .set: if count > 0 { hands.record[place] = operation.value }
        case .insert: hands.record.insert(contentsOf: operation.bytes, at: operation.place % (count + 1))
        case .remove: hands.record.removeSubrange(place..<min(count, place + Int(operation.value)))
        case .drop: hands.record = []
        case .duplicate: hands.add(hands.record)
        case .reflect: hands.behind.append(Delivery(receiver: hands.sender, bytes: hands.record))
        case .bounce:
            hands.behind.append(Delivery(receiver: hands.sender, bytes: hands.record))
            hands.record = []
        case .truncate: hands.record = Array(hands.record.prefix(place))
        case .hold: hands.isHeld = true
        case .replace: hands.record = operation.bytes
        case .prepend: hands.before.append(Delivery(receiver: hands.sender.peer, bytes: operation.bytes))
        case .replay: hands.add(pick(passed[hands.sender] ?? [], operation.place))
        case .cross: hands.add(pick(passed[hands.sender.peer] ?? [], operation.place))
        case .splice:
            let records = otherSession[hands.sender.peer].incoming
            hands.record = operation.value < 0x80 && index < records.count ? records[index] : pick(records, place)
        case .end: hands.behind.append(Delivery(receiver: hands.sender.peer, isEnd: true))
        case .wait: hands.before.append(Delivery(receiver: hands.sender.peer, milliseconds: operation.place))
        }
    }

    private func pick(_ records: [[UInt8]], _ place: Int) -> [UInt8] {
        records.isEmpty ? [] : records[place % records.count]
    }
}
