package import MultipeerCrypto
import MultipeerWire

/// What both peers have said of datagrams on one link (SPEC §26.2).
package struct DatagramExchange {
    /// The UDP port at which the local peer takes datagrams; nil as long as its driver has none.
    var port: UInt16?
    /// Whether the local DATAGRAMS has gone.
    var hasSent = false
    /// The port in the peer's; 0 of an initiator, nil before it has come.
    var peerPort: UInt16?
    /// The ports above 1023 of services that answer anybody.
    private static let forbiddenPorts: Set<UInt16> = [1900, 3702, 5353, 5355, 11211]

    /// Whether packets may go to a port and come from there (R26.5-1).
    package static func mayReach(_ port: UInt16) -> Bool { port >= 1_024 && !forbiddenPorts.contains(port) }
}

/// Datagrams beside the link (SPEC §26). The link tells when a path may begin; its driver has the socket.
extension Link {
    /// Whether datagrams can go beside the link: it is open and encrypted, and both peers list the feature.
    package var takesDatagrams: Bool { isOpenForDatagrams && context.isShared(.datagrams) }

    /// Whether the peer wants a path, and waits for a port of the local peer.
    package var wantsDatagramPort: Bool {
        // A driver asks at each turn, and few peers have said so.
        context.datagrams.peerPort != nil && context.datagrams.port == nil && takesDatagrams
    }

    /// What comes to this UDP port of the local host is handed to the link's path from now on. If the peer has asked for one, it hears so.
    package mutating func takeDatagrams(at port: UInt16, now: Instant) {
        begin(at: now)
        context.datagrams.port = port
        if context.datagrams.peerPort != nil { sayDatagrams() }
    }

    /// The app wants to send messages as datagrams. Both peers say so, and ``LinkEffect/datagramPath(port:)`` follows.
    /// - Returns: Whether they can: ``takesDatagrams``, and the local peer has a port.
    @discardableResult
    package mutating func useDatagrams(at now: Instant) -> Bool {
        begin(at: now)
        return sayDatagrams()
    }

    /// The path of the link, once ``LinkEffect/datagramPath(port:)`` has come.
    /// - Returns: Nil if there is none.
    /// - Throws: ``CryptoFailure``.
    package func makeDatagramPath(
        random: any RandomSource, budget: DatagramBudget, at now: Instant
    ) throws(CryptoFailure) -> DatagramPath? {
        guard isOpenForDatagrams, context.datagrams.hasSent, let port = context.datagrams.peerPort,
            let exports = state.exports, let summary = state.payload?.summary
        else { return nil }
        let terms = DatagramPath.Terms(
            role: role, suite: summary.suite, maximumMessage: context.maximumMessage,
            peerMaximumMessage: summary.peerMaximumMessage)
        return try DatagramPath(
            terms, port: role == .initiator ? port : nil, exports: exports, crypto: context.crypto,
            random: DatagramRandomness(random, varies: true), budget: budget, at: now)
    }

    private var isOpenForDatagrams: Bool {
        (stage == .open || stage == .draining) && state.status.payloadEncryption == .encrypted
    }

    /// Sends DATAGRAMS, once on a link (R26.2-1), and returns whether it has gone.
    @discardableResult
    private mutating func sayDatagrams() -> Bool {
        guard takesDatagrams, let port = context.datagrams.port else { return false }
        guard !context.datagrams.hasSent else { return true }
        context.datagrams.hasSent = true
        context.send(Datagrams(port: role == .initiator ? 0 : port))
        noteDatagramPath()
        return true
    }

    /// Takes the peer's DATAGRAMS, and answers it.
    @inline(never)  // rare: docs/decisions/0025
    mutating func handleDatagrams(_ frame: borrowing RawFrame) throws(LinkFailureCause) {
        guard stage == .open || stage == .draining else { throw frame.unexpected }
        let datagrams = try frame.decode(Datagrams.self)
        // R26.2-2: the responder has a port, and the initiator none.
        guard (datagrams.port == 0) == (role == .responder) else {
            throw LinkFailureCause(WireError(.valueOutOfRange, in: .datagramPort))
        }
        guard takesDatagrams, context.datagrams.peerPort == nil else {
            throw frame.unexpected
        }
        state.payload?.noteFrame()
        context.datagrams.peerPort = datagrams.port
        if context.datagrams.hasSent { noteDatagramPath() } else { sayDatagrams() }
    }

    private mutating func noteDatagramPath() {
        guard context.datagrams.hasSent, let port = context.datagrams.peerPort else { return }
        guard role == .initiator else { return context.effects.emit(.datagramPath(port: nil)) }
        guard DatagramExchange.mayReach(port) else { return }
        context.effects.emit(.datagramPath(port: port))
    }
}
