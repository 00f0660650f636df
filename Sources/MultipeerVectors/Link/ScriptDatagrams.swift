@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// This project's path driven by the steps of a `DatagramScript` (Vectors/README.md).
final class ScriptDatagrams {
    private var path: DatagramAccess
    private var now = Instant(nanoseconds: 0)
    private var pending = LinkPoll()
    /// The lengths of messages that the app has not taken.
    private var untaken: [Int] = []

    init(params: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
        let secret = try params.bytes("exporterSecret")
        guard let role = LinkRole(name: try params.text("role")),
            let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try params.number("suite"))), secret.count == 32
        else { throw .badQuestion("params") }
        let port = params.has("port") ? UInt16(truncatingIfNeeded: try params.number("port")) : nil
        let limits = (
            local: UInt64(try params.number("maximumMessage")), remote: UInt64(try params.number("peerMaximum"))
        )
        let drawn = try params.byteStrings("challenges")
        guard drawn.allSatisfy({ $0.count == 8 && $0.contains { $0 != 0 } }), !drawn.isEmpty else {
            throw .badQuestion("params.challenges")
        }
        let challenges = RepeatedRandomness(drawn.flatMap(\.self))
        do throws(CryptoFailure) {
            path = try DatagramAccess(
                role: role, suite: suite, exporterSecret: try crypto.provider.secrets.makeSecret(copying: secret.span),
                port: port, maximumMessage: limits, challenges: challenges, crypto: crypto.provider, at: now)
        } catch { throw .fault("\(error)") }
        drain()
    }

    private func drain() {
        while let packet = path.nextPacket() {
            pending.packets.append(.init(port: Int(packet.port), bytes: packet.bytes))
        }
        while let message = path.nextMessage() {
            untaken.append(message.count)
            pending.events.append(["event": "message", "bytes": .hex(message)])
        }
    }

    private func act(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("do") {
        case "send":
            let message = try step.bytes("message")
            for _ in 0..<(step.has("times") ? try step.number("times") : 1) {
                pending.events.append(["event": .string(path.send(message, at: now).rawValue)])
            }
        case "take":
            for length in untaken.prefix(try step.number("messages")) { path.release(1, bytes: length) }
            untaken.removeFirst(min(untaken.count, try step.number("messages")))
        default: throw .badQuestion("step.do")
        }
    }

    private func advance(by milliseconds: Int) {
        let target = now.advanced(by: .milliseconds(milliseconds))
        while let deadline = path.deadline(at: now), deadline <= target {
            now = max(now, deadline)
            path.timeout(at: now)
            drain()
        }
        now = target
    }
}

extension ScriptDatagrams: ScriptedSubject {
    func take(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("actor") {
        case "peer":
            path.receive(
                try step.bytes("packet"), from: UInt16(truncatingIfNeeded: try step.number("port")), at: now)
        case "link":
            if step.has("message") { path.noteLinkMessage(at: now) } else { path.close() }
        case "clock": advance(by: try step.number("advance"))
        case "app": try act(step)
        default: throw .badQuestion("step.actor")
        }
        drain()
    }

    func poll() -> LinkPoll {
        defer { pending = LinkPoll() }
        pending.deadline = path.deadline(at: now).map { Int($0.nanoseconds / 1_000_000) }
        return pending
    }
}

/// Bytes that are drawn, and after the last the first again.
private struct RepeatedRandomness: RandomSource {
    private let all: [UInt8]
    private var next = 0

    init(_ all: [UInt8]) { self.all = all }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices {
            bytes[index] = all[next]
            next = (next + 1) % all.count
        }
    }
}
