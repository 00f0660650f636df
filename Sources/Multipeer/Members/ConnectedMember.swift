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

    /// The same member, whose link is in another session of the node (SPEC §14.11).
    func moved(into session: SessionID) -> ConnectedMember {
        ConnectedMember(member, in: session, on: link, connection, transfers, counts: counts)
    }

    /// The same member, whose connection goes on over another link (SPEC §13.9).
    func continued(on link: LinkNumber) -> ConnectedMember {
        ConnectedMember(member, in: session, on: link, connection, transfers, counts: counts)
    }

    /// The same member, of which more is known.
    func known(as member: Member) -> ConnectedMember {
        ConnectedMember(member, in: session, on: link, connection, transfers, counts: counts)
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
