import MultipeerCrypto
import MultipeerWire

/// The associations of a node that wait for another link (SPEC §13.9), and the attempts to make one.
struct Reconnections {
    /// How many wait at most. The oldest gives its place up (R13.9-3).
    static let most = 256
    /// Of how many links it is remembered which one has followed.
    private static let mostSuccessors = 4_096
    /// How long a connection may take.
    private static let patience: Duration = .seconds(4)

    /// How long RESUME may wait for its answer on a connection. An association whose peer asks for it meanwhile waits as long (R13.9-7).
    private static let handshakePatience: Duration = .seconds(2)

    private struct Attempt {
        let number: DialNumber
        let reconnection: Reconnection
        let place: MemberAddress
        let deadline: Instant
    }

    /// The oldest first.
    private(set) var all: [Reconnection] = []
    /// Connections that are being made, the oldest first.
    private var attempts: [Attempt] = []
    /// Links on which RESUME is under way, the oldest first.
    private var handshakes: [(link: LinkNumber, reconnection: Reconnection, deadline: Instant)] = []
    /// Which link carries on what a link has begun.
    private var successors: [LinkNumber: LinkNumber] = [:]

    // MARK: What waits

    mutating func add(_ reconnection: Reconnection) { all.append(reconnection) }

    /// The one that has waited longest, if there are too many.
    var excess: Reconnection? { all.count > Self.most ? all.first : nil }

    /// Takes one out. Returns the attempts that nobody needs any more; nil if it was not there.
    mutating func remove(_ reconnection: Reconnection) -> [DialNumber]? {
        guard let index = all.firstIndex(where: { $0 === reconnection }) else { return nil }
        all.remove(at: index)
        let needless = attempts.filter { $0.reconnection === reconnection }.map(\.number)
        attempts.removeAll { $0.reconnection === reconnection }
        handshakes.removeAll { $0.reconnection === reconnection }
        return needless
    }

    func reconnection(of association: ResumableAssociation) -> Reconnection? {
        all.first { $0.association === association }
    }

    /// What became of a link.
    func reconnection(of link: LinkNumber) -> Reconnection? { all.first { $0.link == link } }

    func reconnections(to member: IdentityKey) -> [Reconnection] { all.filter { $0.member == member } }

    // MARK: Links

    /// A link continues what another one has begun. What an app takes later of the earlier ones still counts.
    mutating func note(_ link: LinkNumber, after earlier: LinkNumber) {
        successors[earlier] = link
        if successors.count > Self.mostSuccessors, let oldest = successors.keys.min() { successors[oldest] = nil }
    }

    /// The link that carries what a link has begun, or carried it last.
    func newest(_ link: LinkNumber) -> LinkNumber {
        var link = link
        while let next = successors[link] { link = next }
        return link
    }

    // MARK: Attempts

    /// A connection is being made.
    mutating func begin(_ number: DialNumber, for reconnection: Reconnection, at place: MemberAddress, now: Instant) {
        attempts.append(
            Attempt(
                number: number, reconnection: reconnection, place: place, deadline: now.advanced(by: Self.patience)))
    }

    /// The attempt has led to a connection, or to none. Returns what it was for, and where.
    mutating func end(_ number: DialNumber) -> (Reconnection, place: MemberAddress)? {
        guard let index = attempts.firstIndex(where: { $0.number == number }) else { return nil }
        let ended = attempts.remove(at: index)
        return (ended.reconnection, ended.place)
    }

    /// The next attempt that has had its time.
    mutating func endOverdue(at now: Instant) -> DialNumber? {
        guard let first = attempts.first, first.deadline <= now else { return nil }
        return attempts.removeFirst().number
    }

    /// The connection is there, and RESUME goes out.
    mutating func beginHandshake(on link: LinkNumber, for reconnection: Reconnection, now: Instant) {
        handshakes.append((link, reconnection, now.advanced(by: Self.handshakePatience)))
    }

    /// The next link on which RESUME has waited long enough.
    mutating func endOverdueHandshake(at now: Instant) -> LinkNumber? {
        guard let first = handshakes.first, first.deadline <= now else { return nil }
        return handshakes.removeFirst().link
    }

    // MARK: Time

    var deadline: Instant? {
        all.reduce(Instant.earlier(attempts.first?.deadline, handshakes.first?.deadline)) {
            Instant.earlier($0, Instant.earlier($1.deadline, $1.due))
        }
    }
}

extension Reconnection {
    /// When the next attempt is due; never without an address.
    var due: Instant? { association.places.isEmpty ? nil : plan.due }
}
