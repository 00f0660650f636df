import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// INVITE to sessions that exist, and its chain of admissions (SPEC §8.2, §14.2, §14.8).
extension Section8 {
    static let sessionKinds: [ConformanceCase] = chains + joins + members

    // MARK: The chain

    /// Sends an INVITE to an existing session whose chain is wrong.
    private static func badChain(
        _ topic: String, _ title: String, _ requirements: String = "R8.2-8 R14.2-1",
        _ make: @escaping @Sendable (Play) throws(Interruption) -> Membership
    ) -> ConformanceCase {
        badInvite("chain-\(topic)", "to an existing session, with \(title)", requirements, .entryInvalid) {
            (play) throws(Interruption) in
            let membership = try make(play)
            return play.invite(charter: membership.charter, sessionKind: 0, fields: membership.field)
        }
    }

    private static let onlyFounder = WireBytes.field(0x02, [1])

    private static let chains: [ConformanceCase] = [
        badChain("of-founder", "a chain of its founder's") { (play) throws(Interruption) in
            let key = play.peer.identity.identityKey.rawBytes
            return Membership(
                charter: play.ownCharter, chain: try play.admission(of: key, to: play.ownCharter))
        },
        badChain("flipped", "a flipped bit of an admission's signature") { (play) throws(Interruption) in
            var membership = try play.membership(length: 2)
            membership.chain[96 + 40] ^= 2
            return membership
        },
        badChain("other-session", "a chain of another session") { (play) throws(Interruption) in
            var membership = try play.membership()
            membership.charter[32] ^= 1
            return membership
        },
        badChain("other-label", "an admission under the label of entries") { (play) throws(Interruption) in
            try play.membership(label: "multipeer/1 roster entry")
        },
        badChain("not-to-founder", "a chain that does not lead to the founder") { (play) throws(Interruption) in
            var membership = try play.membership(length: 2)
            membership.chain.removeLast(96)
            return membership
        },
        badChain("reversed", "a chain in reverse order") { (play) throws(Interruption) in
            var membership = try play.membership(length: 2)
            membership.chain = Array(membership.chain[96...] + membership.chain[..<96])
            return membership
        },
        badChain("admission-founder", "two admissions where the founder alone admits") {
            (play) throws(Interruption) in
            try play.membership(length: 2, parameters: onlyFounder)
        },
    ]

    // MARK: Sessions that exist

    private static func existing(
        _ topic: String, _ title: String,
        _ make: @escaping @Sendable (Play) throws(Interruption) -> Membership
    ) -> ConformanceCase {
        ConformanceCase(
            "8.2-\(topic)", "INVITE to an existing session \(title)", "R8.2-7 R8.2-8 R14.2-1 R14.5-1 R14.6-1",
            expects: "ACCEPT, and a session, on which ADMIT and the tester's entry are taken or passed over",
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            let membership = try make(play)
            return try play.join(membership).and(try play.expectAlive())
        }
    }

    private static let joins: [ConformanceCase] = [
        existing("existing-founder", "by its founder, with an empty chain") { (play) throws(Interruption) in
            try play.membership(length: 0)
        },
        existing("existing-member", "by a member whom the founder admitted") { (play) throws(Interruption) in
            try play.membership()
        },
        existing("existing-only-founder", "by its founder, who alone admits") { (play) throws(Interruption) in
            try play.membership(length: 0, parameters: onlyFounder)
        },
        existing("existing-longest", "by a member with seven admissions") { (play) throws(Interruption) in
            try play.membership(length: 7)
        },
    ]

    // MARK: Sessions of both

    private static let members: [ConformanceCase] = [
        ConformanceCase(
            "14.8-no-session", "INVITE of kind 2 to a session that the peer is not in", "R14.8-2 R8.4-3",
            expects: "DECLINE with reason 6, CLOSE no_error, then the end of the stream", tester: .initiator,
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            let membership = try play.membership()
            try play.peer.send(
                play.invite(charter: membership.charter, sessionKind: 2, fields: membership.field))
            _ = try play.expectDecline(6)
            return Evidence("DECLINE no_session, CLOSE no_error")
        },
        badInvite(
            "member-chain-invalid", "of kind 2, with a chain of another session: the chain comes before DECLINE",
            "R8.2-8 R14.8-2", .entryInvalid, tester: .initiator
        ) { (play) throws(Interruption) in
            var membership = try play.membership()
            membership.charter[40] ^= 1
            return play.invite(charter: membership.charter, sessionKind: 2, fields: membership.field)
        },
    ]
}
