import MultipeerCrypto
import MultipeerWire

/// What a membership asks of its node, or reports to it.
enum MembershipEvent {
    /// This member has signed an entry: all neighbours get it (R14.6-1).
    case signed(VerifiedEntry)
    /// An entry is the greatest of its member now; whether it is of a later run than the one before.
    case kept(VerifiedEntry, isNewRun: Bool)
    /// The entry of this member gave way to others (R14.4-3).
    case dropped(IdentityKey)
    /// This member has signed two entries under one number (R14.4-2).
    case contradiction(IdentityKey)
    /// A newcomer that this member admitted has sent its own entry: all other neighbours get its entry (R14.6-7).
    case newcomer(VerifiedEntry)
    /// Another program seems to use this identity (R14.7-2).
    case twinSuspected
    /// There is no place for the local entry, so that others do not learn of this member (SPEC §14.4).
    case placeLost
}

/// What a member shows of itself in a session.
struct ShownMember: Hashable, Sendable {
    /// The display name; empty if it is not shown.
    var name: [UInt8]
    /// Where it listens, the best first.
    var addresses: [MemberAddress]

    /// What an entry says. Addresses for which 1,024 bytes have no room are left out, the worst first (R14.3-1).
    func content(presence: RosterEntry.Presence, chain: AdmissionChain) -> RosterEntry.Content {
        var content = RosterEntry.Content(
            member: chain.member.rawBytes, instance: VarInt.maximum, sequence: VarInt.maximum, presence: presence,
            name: name, addresses: Array(addresses.prefix(MemberAddress.maximumCount)), chain: chain.admissions)
        while !content.isShortEnough || content.addressBytes > MemberAddress.maximumListLength,
            !content.addresses.isEmpty
        {
            content.addresses.removeLast()
        }
        return content
    }
}

extension RosterEntry.Content {
    /// The length of the list of addresses.
    fileprivate var addressBytes: Int { addresses.reduce(0) { $0 + 2 + $1.value.count } }
}

/// Milliseconds since 1970, as far as the local peer knows them (SPEC §14.7).
struct WallClock: Sendable {
    /// The time at ``start``, or a random number below 2^32 without a clock.
    let milliseconds: UInt64
    let start: Instant

    func milliseconds(at now: Instant) -> UInt64 {
        let (sum, overflow) = milliseconds.addingReportingOverflow((now.nanoseconds &- start.nanoseconds) / 1_000_000)
        return now < start || overflow ? milliseconds : min(sum, VarInt.maximum)
    }
}
