import CReference
import Dispatch
import Glibc
import MultipeerCore
import MultipeerWire

/// Messages over a bare loopback connection: two `Link`s, two threads, blocking calls. What the core costs an embedder,
/// without an event loop and without tasks.
///
/// `@unchecked Sendable`: during a run each end is touched by one thread only, and between runs by the caller's.
public final class SocketTransfer: @unchecked Sendable {
    private let sender: SendingEnd
    private let receiver: ReceivingEnd

    /// Opens the session in memory; what follows goes over the connection.
    public init(_ peers: Peers, suite: Suite, length: Int) throws {
        var pair = try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil)
        try pair.open()
        var (client, server): (Int32, Int32) = (-1, -1)
        guard tcp_connect_over_loopback(&client, &server) == 0 else { throw WorkloadFailure.reference(-1) }
        let links = pair.links()
        sender = SendingEnd(links[0], socket: client, message: [UInt8](repeating: 7, count: length))
        receiver = ReceivingEnd(links[1], socket: server, length: length)
    }

    /// Sends `count` messages, and returns when the last has come out of the receiver's link.
    public func run(_ count: Int) throws {
        DispatchQueue.concurrentPerform(iterations: 2) { [self] index in
            if index == 0 { sender.run(count) } else { receiver.run(count) }
        }
        guard sender.isWell, receiver.isWell else { throw WorkloadFailure.wrongResult }
    }
}

private final class SendingEnd {
    private let kept: KeptLink
    private let socket: Int32
    private let message: [UInt8]
    private var wire: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 4_096)
    private(set) var isWell = true

    init(_ link: KeptLink, socket: Int32, message: [UInt8]) {
        kept = link
        self.socket = socket
        self.message = message
    }

    deinit { close(socket) }

    func run(_ count: Int) {
        for _ in 0..<count where isWell {
            do {
                try kept.link.send(message, at: Instant(nanoseconds: 0))
            } catch {
                isWell = false
            }
            while isWell, kept.link.queuedByteCount > 0 {
                if kept.link.hasOutput { writeSome() } else { readCredit() }
            }
        }
        if !isWell { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func writeSome() {
        wire.removeAll(keepingCapacity: true)
        wire.append(addingCapacity: 2 * RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
            kept.link.transmit(into: &output, at: Instant(nanoseconds: 0))
        }
        if tcp_send_all(socket, wire, wire.count) != 0 { isWell = false }
    }

    /// Waits for what the receiver says: without credit nothing more can be sent (SPEC §13.3).
    private func readCredit() {
        let bytes = tcp_receive_some(socket, &buffer, buffer.count)
        guard bytes > 0 else {
            isWell = false
            return
        }
        kept.link.receive(buffer.span.extracting(first: bytes), at: Instant(nanoseconds: 0))
        while let effect = kept.link.nextEffect() {
            if case .closed = effect { isWell = false }
        }
    }
}

private final class ReceivingEnd {
    private let kept: KeptLink
    private let socket: Int32
    private let length: Int
    private var wire: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 2 * RecordHeader.maximumRecordLength)
    private(set) var isWell = true

    init(_ link: KeptLink, socket: Int32, length: Int) {
        kept = link
        self.socket = socket
        self.length = length
    }

    deinit { close(socket) }

    func run(_ count: Int) {
        var received = 0
        while received < count, isWell {
            let bytes = tcp_receive_some(socket, &buffer, buffer.count)
            guard bytes > 0 else {
                isWell = false
                break
            }
            kept.link.receive(buffer.span.extracting(first: bytes), at: Instant(nanoseconds: 0))
            while let effect = kept.link.nextEffect() { received += take(effect) }
            while isWell, kept.link.hasOutput { writeCredit() }
        }
        if !isWell { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Takes an effect, and returns how many messages it is.
    private func take(_ effect: LinkEffect) -> Int {
        switch effect {
        case .message(let message) where message.count == length:
            kept.link.releaseCredit(Link.messageCredit(ofLength: length), at: Instant(nanoseconds: 0))
            return 1
        case .memoryWanted(let count): kept.link.grantMemory(count, at: Instant(nanoseconds: 0))
        case .memoryReturned: break
        default: isWell = false
        }
        return 0
    }

    private func writeCredit() {
        wire.removeAll(keepingCapacity: true)
        wire.append(addingCapacity: 2 * RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
            kept.link.transmit(into: &output, at: Instant(nanoseconds: 0))
        }
        if tcp_send_all(socket, wire, wire.count) != 0 { isWell = false }
    }
}
