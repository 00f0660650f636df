import MultipeerCertificates
import MultipeerCore
import MultipeerSodium
import MultipeerWire

/// Two nodes in this process: first each for itself, then as members of one session with an open link.
public final class MemberPair {
    private let nodes: [KeptNode]
    private let now = Instant(nanoseconds: 0)
    private static let terms = SessionTerms(encryption: .required)

    /// A node, and the link to the other one.
    private final class KeptNode {
        var node: Node
        var link: LinkNumber?
        var isConnected = false

        init(_ node: consuming Node) { self.node = node }
    }

    /// Makes two nodes, of which one has founded a session.
    public init(_ peers: Peers, suite: Suite) {
        nodes = [0, 1].map { side in
            let configuration = NodeConfiguration(
                link: peers.configuration(side, suite: suite), memberTerms: Self.terms)
            return KeptNode(
                Node(configuration: configuration, random: peers.sodium.random, now: Instant(nanoseconds: 0)))
        }
    }

    /// One founds a session and invites the other. Returns when both are connected and have nothing more to say.
    public func connect() throws {
        let (one, other) = (nodes[0], nodes[1])
        let session = try one.node.found(at: now)
        let link = one.node.opened(expecting: other.node.key, at: now)
        one.link = link
        other.link = other.node.accepted(at: now)
        try one.node.invite(on: link, to: session, terms: Self.terms, at: now)
        for _ in 0..<32 {
            let isQuiet = try [carry(from: one, to: other), carry(from: other, to: one)] == [0, 0]
            if isQuiet, one.isConnected, other.isConnected { return }
        }
        throw WorkloadFailure.link(nil)
    }

    /// Carries what one has to say, and returns how many bytes that were.
    private func carry(from one: KeptNode, to other: KeptNode) throws -> Int {
        guard let source = one.link, let target = other.link else { throw WorkloadFailure.link(nil) }
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 2 * RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
            one.node.transmit(on: source, into: &output, at: now)
        }
        if !bytes.isEmpty { other.node.receive(bytes.span, on: target, at: now) }
        try react(one)
        try react(other)
        return bytes.count
    }

    private func react(_ side: KeptNode) throws {
        while side.node.nextReady() != nil {}
        while let effect = side.node.nextEffect() {
            switch effect {
            case .invited(let link, _, _): try side.node.accept(link, with: Self.terms, at: now)
            case .verify(let link, let token, _):
                try side.node.submitVerdict(.accepted(.unverified), for: token, on: link, at: now)
            case .connected: side.isConnected = true
            case .closed(_, .failed(let failure)): throw WorkloadFailure.link(failure)
            default: break
            }
        }
    }
}
