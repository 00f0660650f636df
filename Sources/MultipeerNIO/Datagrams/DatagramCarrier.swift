import MultipeerCore
import MultipeerDriver
import NIOCore

extension LinkHandler {
    /// Datagrams go beside the link from now on, if its transport leads to a host.
    func carryDatagrams(on channel: any Channel, role: LinkRole, _ sockets: DatagramSockets) {
        datagrams = DatagramCarrier(driver, on: channel, role: role, sockets) { [unowned self] in drain() }
    }
}

/// Carries the datagrams of one link between its driver and a UDP socket (SPEC §26), on the link's event loop.
final class DatagramCarrier {
    let driver: LinkDriver
    /// The peer's host, with port 0. The transport of the link has proved it.
    let host: SocketAddress
    /// Where the link's transport is: the socket takes what comes to this address.
    private let local: SocketAddress
    private let sockets: DatagramSockets
    private var socket: DatagramSocket?
    /// The tag under which the socket knows the link.
    private var tag: UInt64?
    /// Drains the driver after a packet.
    private let onInput: () -> Void

    /// Nil for a transport that leads to no host (R26.5-1).
    init?(
        _ driver: LinkDriver, on channel: any Channel, role: LinkRole, _ sockets: DatagramSockets,
        onInput: @escaping () -> Void
    ) {
        guard var host = channel.remoteAddress, var local = channel.localAddress, host.port != nil, local.port != nil
        else { return nil }
        host.port = 0
        // A responder takes datagrams at the port at which it listens, if that is free, because a firewall may let it pass.
        if role == .initiator { local.port = 0 }
        (self.driver, self.host, self.local, self.sockets, self.onInput) = (driver, host, local, sockets, onInput)
    }

    /// Does what the driver wants, at the end of each drain.
    func carry() {
        if driver.wantsDatagramPort { open() }
        register()
        guard let socket else { return }
        var hasWritten = false
        while let packet = driver.nextDatagram() {
            var address = host
            address.port = Int(packet.port)
            socket.write(packet.bytes, to: address)
            hasWritten = true
        }
        if hasWritten { socket.flush() }
    }

    private func open() {
        driver.askedForDatagrams()
        let socket = sockets.join(at: local)
        self.socket = socket
        socket.whenBound { [weak self] port in
            guard let self, self.socket === socket else { return }
            if let port {
                driver.openedDatagrams(at: port, now: sockets.clock.now)
            } else {
                driver.refusedDatagrams()
            }
            onInput()
        }
    }

    /// Sees to it that the socket knows the link exactly as long as it has a path.
    private func register() {
        guard let socket, driver.datagramTag != tag else { return }
        if let tag { socket.remove(tag) }
        tag = driver.datagramTag
        // Of two links with the same tag the newer one has no path (SPEC §26.3).
        guard let tag, !socket.add(self, tag: tag) else { return }
        self.tag = nil
        driver.refusedDatagrams()
    }

    /// A packet with the link's tag has come from somewhere. True if it was from the peer's host.
    func receive(_ packet: ByteBuffer, from source: SocketAddress, at now: Instant) -> Bool {
        var address = source
        address.port = 0
        guard address == host, let port = source.port.flatMap({ UInt16(exactly: $0) }) else { return false }
        driver.receiveDatagram(packet.readableBytesUInt8Span, from: port, at: now)
        return true
    }

    /// What came is handled once for a burst of packets.
    func burstEnded() { onInput() }

    /// The link's transport is gone.
    func end() {
        if let tag { socket?.remove(tag) }
        if socket != nil { sockets.leave(local) }
        (socket, tag) = (nil, nil)
    }
}
