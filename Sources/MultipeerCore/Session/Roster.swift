package import MultipeerCrypto
package import MultipeerWire

/// The entries that one member keeps of all members (SPEC §14.4).
package struct Roster: Sendable {
    /// How many entries there are at most, the owner's included (R14.4-3).
    package static let capacity = RosterFrame.maximumMembers

    /// What became of an entry that came.
    package enum Insertion: Hashable, Sendable {
        /// It is the greatest of its member, and kept.
        case kept(VerifiedEntry, replacing: VerifiedEntry?)
        /// It is the greatest of its member, and there is no room for it (R14.4-3).
        case noRoom(VerifiedEntry)
        /// It is the one that is there.
        case known
        /// It is lesser than `newest`, which is there.
        case older(newest: VerifiedEntry)
        /// It is lesser than `newest`, for which there was no room (R14.4-4).
        case outdated(newest: VerifiedEntry)
    }

    /// What an entry led to.
    package struct Outcome: Hashable, Sendable {
        package let insertion: Insertion
        /// Whether its member has signed two entries under one number, which the app hears once (R14.4-2).
        package let isContradiction: Bool
        /// The entries that gave way to it.
        package let dropped: [VerifiedEntry]
    }

    package let session: SessionCharter
    /// The owner of this roster. What contradicts its entries is R14.7-2's affair and not reported here.
    private let owner: IdentityKey?
    private let hashing: any Hashing
    /// How many entries this one has room for, and how many it keeps apart: fewer in small worlds that a test explores whole.
    private let capacity: Int
    private var verified: VerifiedAdmissions
    private var entries: [IdentityKey: VerifiedEntry] = [:]
    /// Valid entries for which there was no room, of members that are not in ``entries``, at most ``capacity`` (R14.4-4).
    private(set) var apart: [IdentityKey: VerifiedEntry] = [:]
    /// The members of ``entries``, in ascending order.
    private var order: [IdentityKey] = []
    /// The members of which a contradiction was reported. Only members whose entries are here, so that it has their bound.
    private var contradictions: Set<IdentityKey> = []
    /// The digest of ``entries``, once somebody wanted it.
    private var knownDigest: [UInt8]?

    package init(
        _ session: SessionCharter, owner: IdentityKey? = nil, hashing: any Hashing,
        verifier: any IdentitySignatureVerifier, capacity: Int = capacity
    ) {
        self.capacity = capacity
        self.session = session
        self.owner = owner
        self.hashing = hashing
        verified = VerifiedAdmissions(verifier: verifier)
    }

    package var count: Int { entries.count }
    /// How many signatures were verified so far.
    package var verifications: Int { verified.verifications }

    /// The entry of a member.
    package subscript(member: IdentityKey) -> VerifiedEntry? { entries[member] }

    /// All entries, in ascending order of their members.
    package var inOrder: [VerifiedEntry] { order.compactMap { entries[$0] } }

    /// All members, in ascending order.
    package var members: [IdentityKey] { order }

    /// All entries, in no order.
    package var all: some Collection<VerifiedEntry> { entries.values }

    // MARK: Entries

    /// Takes an entry that came, of whomever and from whomever (R14.3-2, R14.3-3, R14.4-1).
    /// - Throws: `entry_invalid` for one that does not verify. Nothing changes then.
    package mutating func insert(_ entry: RosterEntry) throws(LinkFailureCause) -> Outcome {
        let member = try? IdentityKey(rawBytes: entry.content.member)
        if let held = member.flatMap({ apart[$0] }) { return try insert(entry, besideApart: held) }
        guard let known = member.flatMap({ entries[$0] }) else { return keep(try verify(entry), contradicting: false) }
        let version = version(of: entry)
        if version == known.version { return Outcome(insertion: .known, isContradiction: false, dropped: []) }
        let contradicts = version.contradicts(known.version)
        if version > known.version { return keep(try verify(entry), contradicting: contradicts) }
        // Signatures of what is not greater are looked at only for a contradiction that has not been reported.
        let isNews = contradicts && mayReport(known.member)
        if isNews { _ = try verify(entry) }
        return Outcome(
            insertion: .older(newest: known), isContradiction: isNews && report(known.member), dropped: [])
    }

    /// Takes an entry that its own member has signed here.
    package mutating func insert(own entry: VerifiedEntry) -> Outcome { keep(entry, contradicting: false) }

    /// Checks an entry, and keeps nothing of it.
    /// - Throws: `entry_invalid`.
    package mutating func verify(_ entry: RosterEntry) throws(LinkFailureCause) -> VerifiedEntry {
        let checked = VerifiedEntry(verifying: entry, in: session, with: &verified, hashing: hashing)
        guard let checked else { throw .violation(.entryInvalid) }
        return checked
    }

    /// There is an entry of the member for which there was no room (R14.4-4).
    private mutating func insert(
        _ entry: RosterEntry, besideApart held: VerifiedEntry
    ) throws(LinkFailureCause) -> Outcome {
        let version = version(of: entry)
        // It has been verified: a peer that sends it again does not make the local peer verify it again.
        if version == held.version { return keep(held, contradicting: false) }
        guard version > held.version else {
            return Outcome(insertion: .outdated(newest: held), isContradiction: false, dropped: [])
        }
        return keep(try verify(entry), contradicting: false)
    }

    /// What orders the entries of one member.
    func version(of entry: RosterEntry) -> EntryVersion {
        EntryVersion(
            instance: entry.content.instance, sequence: entry.content.sequence,
            hash: VerifiedEntry.hash(of: entry.encoded, hashing))
    }

    private mutating func keep(_ entry: VerifiedEntry, contradicting: Bool) -> Outcome {
        knownDigest = nil
        apart[entry.member] = nil
        let replaced = entries.updateValue(entry, forKey: entry.member)
        if replaced == nil { order.insert(entry.member, at: place(of: entry.member)) }
        let dropped = RosterOrder.divide(entries.values, capacity: capacity).dropped
        for other in dropped {
            entries[other.member] = nil
            order.remove(at: place(of: other.member))
            contradictions.remove(other.member)
            apart[other.member] = other
        }
        if apart.count > capacity {
            for other in RosterOrder.divide(apart.values, capacity: capacity, first: .left).dropped {
                apart[other.member] = nil
            }
        }
        let hasRoom = entries[entry.member] != nil
        return Outcome(
            insertion: hasRoom ? .kept(entry, replacing: replaced) : .noRoom(entry),
            isContradiction: hasRoom && contradicting && mayReport(entry.member) && report(entry.member),
            dropped: dropped.filter { $0.member != entry.member })
    }

    /// Where a member is in ``order``, or would be: its first place that is not before it.
    private func place(of member: IdentityKey) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle] < member { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func mayReport(_ member: IdentityKey) -> Bool { member != owner && !contradictions.contains(member) }

    private mutating func report(_ member: IdentityKey) -> Bool { contradictions.insert(member).inserted }

    // MARK: Chains

    /// Checks a chain that came by ADMIT, or is remembered (R14.2-1). Nil if it is not valid.
    package mutating func chain(_ chain: [Admission], for member: IdentityKey) -> AdmissionChain? {
        AdmissionChain(verifying: chain, for: member, in: session, with: &verified)
    }

    // MARK: Comparing rosters

    /// The digest: two rosters are equal exactly if theirs are. 32 bytes.
    package var digest: [UInt8] { knownDigest ?? computedDigest }

    /// The digest, which is computed once for each change: equal DIGESTs can come as often as a peer likes.
    mutating func currentDigest() -> [UInt8] {
        let current = digest
        knownDigest = current
        return current
    }

    private var computedDigest: [UInt8] {
        let head = session.signed("multipeer/1 roster", [UInt8(count >> 8), UInt8(count & 0xFF)])
        let hashes = inOrder.flatMap(\.hash)
        return hashing.hash(head.span, hashes.span).rawBytes
    }

    /// SUMMARY of all entries.
    package var summary: Summary { Summary(items: inOrder.map(\.item)) }

    /// What a neighbour with this summary lacks, and the members of which it has more (R14.6-5).
    package func difference(to summary: Summary) -> (lacking: [VerifiedEntry], wanted: [[UInt8]]) {
        var theirs: [[UInt8]: EntryVersion] = [:]
        for item in summary.items { theirs[item.member] = EntryVersion(item) }
        let lacking = inOrder.filter { entry in
            theirs[entry.member.rawBytes].map { $0 < entry.version } ?? true
        }
        let wanted = summary.items.filter { item in
            guard let member = try? IdentityKey(rawBytes: item.member), let own = entries[member] else { return true }
            return own.version < EntryVersion(item)
        }
        return (lacking, wanted.map(\.member))
    }

    /// The entries that WANT asks for, those of them that are there (R14.6-6).
    package func entries(wantedBy want: Want) -> [VerifiedEntry] {
        want.members.compactMap { key in (try? IdentityKey(rawBytes: key)).flatMap { entries[$0] } }
    }
}

extension RosterFrame {
    /// ROSTERs for entries in ascending order of their members: as few as hold them.
    static func frames(for entries: [VerifiedEntry]) -> [RosterFrame] {
        var (frames, part, length): ([RosterFrame], [RosterEntry], Int) = ([], [], 0)
        for entry in entries {
            if length + entry.encoded.count > maximumListLength || part.count == maximumMembers {
                frames.append(RosterFrame(entries: part))
                (part, length) = ([], 0)
            }
            part.append(entry.entry)
            length += entry.encoded.count
        }
        if !part.isEmpty { frames.append(RosterFrame(entries: part)) }
        return frames
    }
}
