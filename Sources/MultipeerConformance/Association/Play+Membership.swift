import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// A session that somebody has founded, and the tester's chain of admissions to it (SPEC §14.2).
struct Membership {
    /// Whole structures.
    var charter: [UInt8]
    var chain: [UInt8]

    /// The chain as a field of INVITE (R8.2-7).
    var field: [UInt8] { WireBytes.chainField(chain) }
}

extension Play {
    /// Founds a session by somebody else, and has the tester admitted by a chain of N admissions; with 0 the tester
    /// founds it.
    func membership(
        length: Int = 1, parameters: [UInt8] = [], label: String = "multipeer/1 admission", of member: [UInt8]? = nil
    ) throws(Interruption) -> Membership {
        let testers = peer.identity.identityKey.rawBytes
        var signers: [any IdentitySigner] = []
        for _ in 0..<length { signers.append(try stranger()) }
        let founder = signers.last?.identityKey.rawBytes ?? testers
        let charter = WireBytes.charter(founder: founder, parameters: parameters)
        var (chain, admitted) = ([UInt8](), member ?? testers)
        for signer in signers {
            chain += try admission(of: admitted, to: charter, by: signer, label: label)
            admitted = signer.identityKey.rawBytes
        }
        return Membership(charter: charter, chain: chain)
    }

    /// An admission, by the tester unless said otherwise.
    func admission(
        of member: [UInt8], to charter: [UInt8], by signer: (any IdentitySigner)? = nil,
        label: String = "multipeer/1 admission"
    ) throws(Interruption) -> [UInt8] {
        let script = peer.script
        return try own { () throws(ScriptedPeerError) in
            try script.admission(of: member, to: charter, by: signer, label: label)
        }
    }

    /// What a member sends once the link is open (R14.5-1, R14.6-1): ADMIT for the peer, unless the peer has invited, and its
    /// own entry.
    func introduce(_ membership: Membership) throws(Interruption) {
        if profile.invitations == .accepts { try peer.send(try admit(membership)) }
        try peer.send(WireBytes.roster([try entry(membership)]))
    }

    /// ADMIT with a valid chain for the peer.
    func admit(_ membership: Membership) throws(Interruption) -> [UInt8] {
        let newest = try admission(of: peer.script.peerKey ?? [], to: membership.charter)
        return WireBytes.admit(newest + membership.chain)
    }

    /// The tester's own entry.
    func entry(_ membership: Membership, instance: UInt64 = 1) throws(Interruption) -> [UInt8] {
        let content = WireBytes.entryContent(
            peer.identity.identityKey.rawBytes, instance: instance, chain: membership.chain)
        let script = peer.script
        return try own { () throws(ScriptedPeerError) in try script.entry(content, in: membership.charter) }
    }

    /// Invites the peer to a session that exists, and opens the link as its member.
    func join(_ membership: Membership) throws(Interruption) -> Evidence {
        try reach(.identified)
        let invite = invite(charter: membership.charter, sessionKind: 0, fields: membership.field)
        (peer.invite, peer.inviter) = (invite, role)
        try peer.send(invite)
        try awaitAccept()
        _ = try take(.certificates)
        stage = .agreed
        let came = try mustReach(.open)
        try introduce(membership)
        try roundTrip()
        return came
    }

    /// A new identity.
    func stranger() throws(Interruption) -> any IdentitySigner {
        let cryptography = cryptography
        return try own { () throws(CryptoFailure) in try cryptography.makeIdentity() }
    }
}
