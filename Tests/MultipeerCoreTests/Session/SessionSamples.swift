import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// A session with members made of seeds. Member 1 founded it.
struct SampleSession {
    let charter: SessionCharter
    let founder: any IdentitySigner

    init(parameters: CharterParameters = CharterParameters(), nonce: UInt8 = 7) throws {
        founder = try Peers.identity(1)
        charter = try SessionCharter(
            Charter(
                founder: founder.identityKey.rawBytes, nonce: [UInt8](repeating: nonce, count: 32),
                parameters: parameters.fields),
            hashing: Peers.crypto.hashing)
    }

    var roster: Roster {
        Roster(charter, hashing: Peers.crypto.hashing, verifier: Peers.crypto.signatures)
    }

    var verified: VerifiedAdmissions { VerifiedAdmissions(verifier: Peers.crypto.signatures) }

    /// The chain of a member that each of `seeds` admits after the one before, from the founder on.
    func chain(_ seeds: [UInt64]) throws -> AdmissionChain {
        var (chain, signer): (AdmissionChain, any IdentitySigner) = (AdmissionChain(founderOf: charter), founder)
        for seed in seeds {
            let next = try Peers.identity(seed)
            chain = try #require(try chain.admitting(next.identityKey, by: signer, in: charter))
            signer = next
        }
        return chain
    }

    /// An entry of the last of `seeds`, who was admitted along them.
    func entry(
        _ seeds: [UInt64], instance: UInt64 = 1_000, sequence: UInt64 = 0, presence: RosterEntry.Presence = .present,
        name: String = ""
    ) throws -> VerifiedEntry {
        let own: (any IdentitySigner)? = try seeds.last.map { seed in try Peers.identity(seed) }
        let signer = own ?? founder
        let content = RosterEntry.Content(
            member: signer.identityKey.rawBytes, instance: instance, sequence: sequence, presence: presence,
            name: Array(name.utf8), chain: try chain(seeds).admissions)
        return try VerifiedEntry.signed(content, by: signer, in: charter, hashing: Peers.crypto.hashing)
    }
}

extension Roster {
    /// Takes entries, of which none may be invalid.
    mutating func take(_ entries: [VerifiedEntry]) throws {
        for entry in entries { _ = try insert(entry.entry) }
    }
}
