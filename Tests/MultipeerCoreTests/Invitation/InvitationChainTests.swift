import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Chains of admissions in INVITE, SPEC §8.2, §14.8")
struct InvitationChainTests {
    static let roles: [LinkRole] = [.initiator, .responder]
    /// The founder of the sessions of others.
    static let founder: UInt64 = 5

    static func foreignCharter() throws -> Charter {
        Charter(founder: try Peers.key(founder).rawBytes, nonce: Array(3...34))
    }

    /// Sends INVITE at a place, and returns the link.
    static func sending(_ place: Duel.Place, _ role: LinkRole, _ make: (ScriptedPeer) throws -> Invite) throws -> Duel {
        let duel = try Duels.at(place, honest: role)
        try duel.evil.send(try make(duel.evil))
        try duel.exchange()
        return duel
    }

    @Test("An inviter to an existing session founded it, or was admitted to it (R8.2-7, R8.2-8)", arguments: roles)
    func sound(role: LinkRole) throws {
        let own = try Self.sending(.identified, role) { $0.invitation(charter: $0.ownCharter) }
        let invitation = try #require(InvitationTests.invitations(own).first)
        #expect(invitation.kind == .existing && !invitation.isNewSession && invitation.chain == [])

        let charter = try Self.foreignCharter()
        let admitted = try Self.sending(.identified, role) { evil in
            let key = evil.identity.identityKey.rawBytes
            return evil.invitation(
                charter: charter, chain: [try Duels.admission(of: key, to: charter, by: Self.founder)])
        }
        #expect(admitted.stage == .invited)
        let chain = try #require(InvitationTests.invitations(admitted).first?.chain)
        #expect(chain.count == 1 && chain.first?.admitter == charter.founder)
    }

    @Test(
        "An invalid chain is entry_invalid, before crossing is judged and the app is asked (R8.2-8)", arguments: roles)
    func invalid(role: LinkRole) throws {
        let charter = try Self.foreignCharter()
        for place in [Duel.Place.identified, .inviting] {
            let makers: [(ScriptedPeer) throws -> Invite] = [
                { $0.invitation(charter: charter) },
                {
                    $0.invitation(
                        charter: charter, chain: [try Duels.admission(of: [1], to: charter, by: Self.founder)])
                },
                { evil in
                    let key = evil.identity.identityKey.rawBytes
                    return evil.invitation(
                        charter: charter, chain: [try Duels.admission(of: key, to: evil.ownCharter, by: Self.founder)])
                },
                { evil in
                    let key = evil.identity.identityKey.rawBytes
                    let admission = try Duels.admission(of: key, to: evil.ownCharter, by: evil.identity)
                    return evil.invitation(charter: evil.ownCharter, chain: [admission])
                },
            ]
            for make in makers {
                let duel = try Self.sending(place, role, make)
                expectFailure(
                    duel, .violation(.entryInvalid), at: duel.failure?.stage ?? .open, told: .entryInvalid)
                #expect(InvitationTests.invitations(duel).isEmpty && duel.honest.link.isFailureAttributable)
            }
        }
    }

    @Test("An INVITE of a member comes from the initiator; that is judged before its chain (R14.8-1)")
    func members() throws {
        let taken = try Self.sending(.identified, .responder) {
            $0.invitation(charter: $0.ownCharter, sessionKind: .members)
        }
        #expect(taken.stage == .invited && InvitationTests.invitations(taken).first?.kind == .members)
        for charter in [nil, try Self.foreignCharter()] {
            for place in [Duel.Place.identified, .inviting] {
                let refused = try Self.sending(place, .initiator) {
                    $0.invitation(charter: charter ?? $0.ownCharter, sessionKind: .members)
                }
                expectFailure(
                    refused, unexpected(.invite), at: refused.failure?.stage ?? .open, told: .unexpectedFrame)
            }
        }
    }

    @Test("A sent INVITE holds kind, charter and chain", arguments: roles)
    func own(role: LinkRole) throws {
        let key = try Peers.key(try Peers.seedsByKey().lesser).rawBytes
        let charter = try Self.foreignCharter()
        let chain = [try Duels.admission(of: key, to: charter, by: Self.founder)]
        let own = Charter(founder: key, nonce: Array(9...40))
        let sessions: [(InvitedSession, SessionKind, isAllowed: Bool)] = [
            (.existing(charter, chain: chain), .existing, true),
            (.members(charter, chain: chain), .members, role == .initiator),
            (.founded(own), .new, true), (.founded(charter), .new, false),
            (.new(parameters: [Field(type: 2, value: [1])]), .new, true),
            (.new(parameters: [Field(type: 2, value: [2])]), .new, false),
            (.existing(charter, chain: Array(repeating: chain[0], count: 9)), .existing, false),
        ]
        for (session, kind, isAllowed) in sessions {
            let duel = try Duels.at(.identified, honest: role)
            let invitation = OutgoingInvitation(terms: InvitationTests.optional, session: session)
            guard isAllowed else {
                #expect(throws: RequestError.invalidInvitation) {
                    try duel.honest.link.invite(invitation, at: duel.now)
                }
                continue
            }
            try duel.honest.link.invite(invitation, at: duel.now)
            try duel.exchange()
            let invite = try Invite(decoding: try #require(duel.evil.payloads(of: .invite).first))
            #expect(invite.sessionKind == kind && invite.chain == session.chain)
            if let charter = session.charter { #expect(invite.charter == charter) }
        }
    }
}
