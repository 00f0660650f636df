import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTransfers
import Synchronization

/// A member and the link to it. By reference: each message looks it up.
final class ConnectedMember: Sendable {
    let member: Member
    /// In which session of the node.
    let session: SessionID
    let link: LinkNumber
    let connection: LinkConnection
    let transfers: FileTransfers
    let counts: TrafficCounts

    init(
        _ member: Member, in session: SessionID, on link: LinkNumber, _ connection: LinkConnection,
        _ transfers: FileTransfers, counts: TrafficCounts = TrafficCounts()
    ) {
        self.member = member
        self.session = session
        self.link = link
        self.connection = connection
        self.transfers = transfers
        self.counts = counts
    }

    /// The same member, of which something else is known: its link is in another session of the node (SPEC §14.11), another link continues
    /// its connection (SPEC §13.9), or people have verified its key.
    func changed(member: Member? = nil, session: SessionID? = nil, link: LinkNumber? = nil) -> ConnectedMember {
        ConnectedMember(
            member ?? self.member, in: session ?? self.session, on: link ?? self.link, connection, transfers,
            counts: counts)
    }
}

/// What has passed over one link.
final class TrafficCounts: Sendable {
    private let messagesSent = Atomic<UInt64>(0)
    private let messageBytesSent = Atomic<UInt64>(0)
    private let messagesReceived = Atomic<UInt64>(0)
    private let messageBytesReceived = Atomic<UInt64>(0)

    func noteSent(_ bytes: Int) {
        messagesSent.wrappingAdd(1, ordering: .relaxed)
        messageBytesSent.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    }

    func noteReceived(_ bytes: Int) {
        messagesReceived.wrappingAdd(1, ordering: .relaxed)
        messageBytesReceived.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    }

    var statistics: PeerStatistics {
        var statistics = PeerStatistics()
        statistics.messagesSent = messagesSent.load(ordering: .relaxed)
        statistics.messageBytesSent = messageBytesSent.load(ordering: .relaxed)
        statistics.messagesReceived = messagesReceived.load(ordering: .relaxed)
        statistics.messageBytesReceived = messageBytesReceived.load(ordering: .relaxed)
        return statistics
    }
}
