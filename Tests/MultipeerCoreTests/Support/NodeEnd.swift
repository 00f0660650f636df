import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerTesting
import MultipeerWire
import Synchronization
import Testing

/// The driver of a node as its adapter and its app see it. What the app answers is up to the test.
final class NodeEnd {
    let key: IdentityKey
    let driver: NodeDriver
    private let inbox = Inbox()
    /// How often the driver has said that there is work.
    private(set) var workCount = 0

    init(_ name: String, seed: UInt64, at now: Instant) throws {
        var configuration = NodeConfiguration(
            link: try Peers.configuration(name, seed: seed), memberTerms: NodeDuel.terms)
        configuration.addresses = [SimulatedHost.address(of: Int(seed))]
        configuration.milliseconds = 1_700_000_000_000
        key = configuration.link.identity.identityKey
        var options = DriverOptions(random: SeededRandomSource(seed: seed))
        options.offers = OfferLimit()
        driver = NodeDriver(configuration: configuration, options: options, now: now) { [inbox] in inbox.append($0) }
        driver.setLateReceipt { [inbox] in inbox.noteLateReceipt() }
        driver.onWork = { [unowned self] in workCount += 1 }
    }

    func add(_ made: (LinkNumber, LinkDriver)) -> NodeLine {
        made.1.transportOpened()
        return NodeLine(number: made.0, driver: made.1)
    }

    /// The app judges the peer of a link well.
    func accept(_ line: NodeLine, at now: Instant) throws {
        let question = line.driver.events.takeAll().lazy.compactMap { effect in
            if case .verify(let token, _) = effect { token } else { nil }
        }.first
        let token = try #require(question)
        try driver.perform(at: now) { (node, now) throws(NodeRequestError) in
            try node.submitVerdict(.accepted(.unverified), for: token, on: line.number, at: now)
        }
    }

    /// What the app has heard of the node.
    var effects: [NodeEffect] { inbox.effects }
    /// How often the driver has been told of late receipts.
    var lateReceiptCount: Int { inbox.lateReceiptCount }

    /// The links on which a peer has invited.
    var invitations: [LinkNumber] {
        effects.compactMap { if case .invited(let link, _, _) = $0 { link } else { nil } }
    }

    /// Whether the node has something to transmit on a link. A node cannot be copied, which macros of tests try.
    func hasOutput(on link: LinkNumber) -> Bool { driver.node.hasOutput(on: link) }

    /// The links that the driver wants to be drained.
    func takeReady() -> [LinkNumber] {
        var links: [LinkNumber] = []
        while let link = driver.nextReady() { links.append(link) }
        return links
    }

    /// The addresses that are to be dialled.
    func takeDials() -> [MemberAddress] {
        var addresses: [MemberAddress] = []
        while let order = driver.nextOrder() {
            if case .dial(_, let address) = order { addresses.append(address) }
        }
        return addresses
    }

    private final class Inbox: Sendable {
        private let state = Mutex((effects: [NodeEffect](), lateReceiptCount: 0))

        func append(_ effect: NodeEffect) { state.withLock { $0.effects.append(effect) } }
        func noteLateReceipt() { state.withLock { $0.lateReceiptCount += 1 } }

        var effects: [NodeEffect] { state.withLock { $0.effects } }
        var lateReceiptCount: Int { state.withLock { $0.lateReceiptCount } }
    }
}

/// One end of a link, with its transport.
struct NodeLine {
    let number: LinkNumber
    let driver: LinkDriver

    /// Takes all that the link writes.
    func drain(at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        while driver.prepareWrite(at: now, isWritable: true) {
            bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                driver.transmit(into: &output, at: now)
            }
        }
        return bytes
    }

    /// What the app takes of the messages that wait.
    func takeMessages() -> [[UInt8]] {
        driver.events.takeAll().compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
}
