import MultipeerCore
import MultipeerTesting
import MultipeerWire

/// A pair as an object, so that expectations can look into it.
final class TestPair {
    var pair: LinkPair

    init(_ pair: consuming LinkPair) { self.pair = pair }

    var ends: (initiator: LinkEnd?, responder: LinkEnd?) { (pair.initiator.end, pair.responder.end) }
    var failures: (initiator: LinkFailure?, responder: LinkFailure?) {
        (pair.initiator.failure, pair.responder.failure)
    }
    var causes: (initiator: LinkFailureCause?, responder: LinkFailureCause?) {
        (pair.initiator.failure?.cause, pair.responder.failure?.cause)
    }
    var stages: (initiator: LinkStage, responder: LinkStage) { (pair.initiator.link.stage, pair.responder.link.stage) }
    var summaries: (initiator: LinkSummary?, responder: LinkSummary?) {
        (pair.initiator.summary, pair.responder.summary)
    }

    func failure(of role: LinkRole) -> LinkFailure? {
        role == .initiator ? pair.initiator.failure : pair.responder.failure
    }
    func end(of role: LinkRole) -> LinkEnd? { role == .initiator ? pair.initiator.end : pair.responder.end }
    func summary(of role: LinkRole) -> LinkSummary? {
        role == .initiator ? pair.initiator.summary : pair.responder.summary
    }
    func effects(of role: LinkRole) -> [LinkEffect] {
        role == .initiator ? pair.initiator.effects : pair.responder.effects
    }
    func messages(of role: LinkRole) -> [[UInt8]] {
        role == .initiator ? pair.initiator.messages : pair.responder.messages
    }
    func sent(by role: LinkRole) -> [UInt8] { role == .initiator ? pair.fromInitiator : pair.fromResponder }

    /// Changes the stream of one peer: `change` gets the bytes and the place of the first of them in the stream.
    func tamper(with role: LinkRole, _ change: @escaping (inout [UInt8], Int) -> Void) {
        var seen = 0
        let closure: (inout [UInt8]) -> Void = { bytes in
            let count = bytes.count
            change(&bytes, seen)
            seen += count
        }
        if role == .initiator { pair.tamperWithInitiator = closure } else { pair.tamperWithResponder = closure }
    }

    /// Flips one bit of one peer's stream.
    func flip(bit: Int, at offset: Int, of role: LinkRole) {
        tamper(with: role) { bytes, start in
            if (start..<start + bytes.count).contains(offset) { bytes[offset - start] ^= 1 << bit }
        }
    }

    /// Lets only the first bytes of one peer's stream through.
    func keepPrefix(_ length: Int, of role: LinkRole) {
        tamper(with: role) { bytes, start in bytes.removeLast(min(max(0, start + bytes.count - length), bytes.count)) }
    }

    /// Runs, and then lets the transport end for both, so that a peer that waits is notified.
    func runToEnd() {
        pair.run()
        pair.carryEnds()
        pair.cut()
    }
}

/// One record of a direction, the magic counted as one.
struct WirePart {
    enum Region { case magic, kind, length, body }

    let start: Int
    let end: Int
    let kind: RecordKind?

    func region(_ offset: Int) -> Region {
        guard kind != nil else { return .magic }
        return switch offset - start {
        case 0: .kind
        case 1, 2: .length
        default: .body
        }
    }

    /// All offsets of what is clear. Of what an AEAD seals, where each byte is as good as any other, the first and last 32 and
    /// every seventeenth between, so that the bits that are flipped vary: padded records are a thousand bytes long.
    var offsets: [Int] {
        guard kind == .encrypted || kind == .authenticated else { return Array(start..<end) }
        return (start..<end).filter { $0 < start + 32 || $0 >= end - 32 || ($0 - start) % 17 == 0 }
    }

    /// Takes a direction's bytes apart by headers alone.
    static func parts(of bytes: [UInt8]) -> [WirePart] {
        var parts = [WirePart(start: 0, end: 8, kind: nil)]
        var offset = 8
        while offset + 3 <= bytes.count {
            let end = offset + 3 + (Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]))
            parts.append(WirePart(start: offset, end: end, kind: RecordKind(rawValue: bytes[offset])))
            offset = end
        }
        return parts
    }
}
