import MultipeerCrypto
import MultipeerWire

/// The groups that the app leaves, and in which the local peer cannot say so before ADMIT has come.
struct LeavingGroups {
    private var deadlines: [GroupNumber: Instant] = [:]

    /// When the first of them is left without a goodbye.
    var deadline: Instant? { deadlines.values.min() }

    /// In ascending order: what a node does must not depend on how a dictionary is laid out.
    var all: [(group: GroupNumber, deadline: Instant)] {
        deadlines.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }

    var isEmpty: Bool { deadlines.isEmpty }

    mutating func add(_ group: GroupNumber, until deadline: Instant) { deadlines[group] = deadline }

    mutating func remove(_ group: GroupNumber) { deadlines[group] = nil }
}

/// Leaving all that an app holds as one.
extension Node {
    /// How long an app that leaves waits for the admission of the local peer, which comes right after a link has opened.
    private static var goodbyePatience: Duration { .milliseconds(500) }

    /// Leaves all sessions of a group, and gives up what waits there. ``NodeEffect/left(_:)`` tells when that has happened: a local peer
    /// that has just entered a session is admitted first, or nobody would hear that it has left.
    ///
    /// Where no goodbye can be signed (``NodeEffect/signingFailed(_:_:)``), the links are closed all the same.
    public mutating func leave(_ group: GroupNumber, at now: Instant) {
        begin(at: now)
        defer { settle() }
        takeBackWhatWaits(in: group)
        leaving.add(group, until: now.advanced(by: Self.goodbyePatience))
    }

    /// Leaves the groups that wait for no admission any more. Whether there were any.
    mutating func leaveWhatWaits() -> Bool {
        guard !leaving.isEmpty else { return false }
        var hasAny = false
        for (group, deadline) in leaving.all where deadline <= now || !isAwaitingAdmission(in: group) {
            hasAny = true
            leaving.remove(group)
            let left = sessions.inOrder.filter { $0.group == group }
            for held in left { sayGoodbye(in: held) }
            end(left, in: group)
            effects.append(.left(group))
        }
        return hasAny
    }

    private mutating func sayGoodbye(in session: NodeSession) {
        do throws(NodeRequestError) {
            try become(.left, in: session)
        } catch {
            if case .crypto(let failure) = error { effects.append(.signingFailed(session.id, failure)) }
        }
    }

    /// Whether ADMIT is to come on an open link of the group.
    private func isAwaitingAdmission(in group: GroupNumber) -> Bool {
        openLinks.contains { link in
            guard let session = link.session.flatMap({ sessions[$0] }), session.group == group else { return false }
            return session.membership.isAwaitingAdmission
        }
    }
}
