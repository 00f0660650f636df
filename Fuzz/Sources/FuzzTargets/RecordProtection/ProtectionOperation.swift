import FuzzSupport
import MultipeerWire

/// One step of a list: something is sealed, or someone offers the opener something.
enum ProtectionOperation {
    static func perform(_ choices: inout Choices, _ run: inout ProtectionRun) throws {
        let code = choices.byte()
        let count = run.sealed.count
        switch code % 12 {
        case 0, 1: try run.seal(kind(code), frames(&choices))
        case 2: if let next = run.next { try run.offer(next.record) }
        case 3:
            try run.offer(
                changed(run.next?.record, &choices) { record, place, value in
                    record[place] ^= value == 0 ? 1 : value
                })
        case 4: try run.offer(resized(run.next?.record, to: Int(choices.uint16())))
        case 5: try run.offer(resized(run.next?.record, to: (run.next?.record.count ?? 0) + Int(choices.byte())))
        case 6: if count > 0 { try run.offer(run.sealed[choices.int(below: count)].record) }
        case 7: try run.offer(changed(run.next?.record, &choices) { record, _, _ in record[0] ^= 0x01 })
        case 8: if let next = run.next { try run.offer(swappedKind(next)) }
        case 9: try run.offer(raw(&choices, kind(code)))
        case 10:
            if count > 0 {
                let (one, other) = (run.sealed[choices.int(below: count)].record, run.next?.record ?? [])
                try run.offer(resized(Array(one.dropLast(16)) + other.suffix(16), to: one.count))
            }
        default:
            try run.offer(
                changed(run.next?.record, &choices) { record, place, value in
                    record[place] = value
                })
        }
    }

    private static func kind(_ code: UInt8) -> RecordKind { code & 0x80 == 0 ? .encrypted : .authenticated }

    /// 2 to 257 bytes, repeated where the length says more.
    private static func frames(_ choices: inout Choices) -> [UInt8] {
        let bytes = choices.bytes(upTo: 63)
        let length = max(2, bytes.count * (choices.byte() == 0xFF ? 64 : 1))
        return (0..<length).map { bytes.isEmpty ? 0 : bytes[$0 % bytes.count] }
    }

    private static func changed(
        _ record: [UInt8]?, _ choices: inout Choices, _ change: (inout [UInt8], Int, UInt8) -> Void
    ) -> [UInt8] {
        guard var record else { return [] }
        let (place, value) = (choices.int(below: min(record.count, 65_536)), choices.byte())
        change(&record, place, value)
        return record
    }

    /// Cut or filled up with zeros, with a header that says so.
    private static func resized(_ record: [UInt8]?, to length: Int) -> [UInt8] {
        guard let record, length >= 3, length <= 65_535 else { return [] }
        let kept = record.prefix(length)
        let body = kept.dropFirst(3) + [UInt8](repeating: 0, count: length - kept.count)
        return [record[0], UInt8((length - 3) / 256), UInt8((length - 3) % 256)] + body
    }

    /// What an AUTHENTICATED record is to a receiver that expects an ENCRYPTED one, and the other way round.
    private static func swappedKind(_ next: ProtectionRun.Sealed) -> [UInt8] {
        [next.record[0] ^ 0x01] + next.record[1...2] + next.frames + next.record.suffix(16)
    }

    private static func raw(_ choices: inout Choices, _ kind: RecordKind) -> [UInt8] {
        let body = choices.bytes(upTo: 80)
        return [kind.rawValue, 0, UInt8(body.count)] + body
    }
}
