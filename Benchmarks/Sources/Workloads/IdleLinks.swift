import MultipeerCore
import MultipeerSodium
import MultipeerWire

/// A link that somebody keeps.
public final class KeptLink {
    var link: Link

    init(_ link: consuming Link) { self.link = link }
}

extension LinkedPair {
    /// Both links, without what this harness holds beside them.
    public consuming func links() -> [KeptLink] {
        [KeptLink(initiator), KeptLink(responder)]
    }
}

/// How far a stranger has come that has proved nothing.
public enum StrangerStage: String, CaseIterable, Sendable {
    case connected = "connected, silent"
    case partialHello = "all but the last byte of the longest hello"
    case hello = "hello; the answer waits unsent"
    case partialRecord = "the same, and all but the last byte of the longest record it may send"
}

/// What unauthenticated peers leave at a responder.
public struct Strangers {
    private let peers: Peers
    private let hello: [UInt8]

    public init(_ peers: Peers) {
        self.peers = peers
        var link = Link(
            role: .initiator, configuration: peers.configuration(0, suite: .chaChaPoly), random: peers.sodium.random,
            now: Instant(nanoseconds: 0))
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 2_048) { (output: inout OutputSpan<UInt8>) in
            link.transmit(into: &output, at: Instant(nanoseconds: 0))
        }
        hello = bytes
    }

    /// A responder's link to a stranger.
    public func link(_ stage: StrangerStage) -> KeptLink {
        let now = Instant(nanoseconds: 0)
        var link = Link(
            role: .responder, configuration: peers.configuration(1, suite: .chaChaPoly), random: peers.sodium.random,
            now: now)
        switch stage {
        case .connected: break
        case .partialHello:
            let long = Magic.bytes + RecordHeader(kind: .hello, bodyLength: 4_096).byteArray
            link.receive((long + [UInt8](repeating: 0, count: 4_095)).span, at: now)
        case .hello: link.receive(hello.span, at: now)
        case .partialRecord:
            link.receive(hello.span, at: now)
            let record = RecordHeader(kind: .encrypted, bodyLength: 1_021).byteArray
            link.receive((record + [UInt8](repeating: 0, count: 1_020)).span, at: now)
        }
        return KeptLink(link)
    }
}

extension RecordHeader {
    fileprivate var byteArray: [UInt8] { bytes.indices.map { bytes[$0] } }
}
