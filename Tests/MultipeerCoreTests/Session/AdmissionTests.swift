import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Chains of admissions, SPEC §14.2")
struct AdmissionTests {
    static func isValid(
        _ chain: [Admission], for seed: UInt64, in sample: SampleSession, verifying count: Int? = nil
    ) throws -> Bool {
        var verified = sample.verified
        let member = try Peers.key(seed)
        let result = AdmissionChain(verifying: chain, for: member, in: sample.charter, with: &verified)
        if let count { #expect(verified.verifications == count) }
        return result != nil
    }

    @Test("The founder has none, everyone else one to eight that end at the founder (R14.2-1)")
    func lengths() throws {
        let sample = try SampleSession()
        #expect(try Self.isValid([], for: 1, in: sample))
        #expect(try !Self.isValid([], for: 2, in: sample))
        for count in 1...8 {
            let chain = try sample.chain(Array(2..<UInt64(count) + 2)).admissions
            #expect(chain.count == count)
            #expect(try Self.isValid(chain, for: UInt64(count) + 1, in: sample, verifying: count))
            #expect(try !Self.isValid(chain, for: 1, in: sample, verifying: 0), "the founder with a chain")
            #expect(try !Self.isValid(chain, for: 99, in: sample), "the chain of another peer")
        }
        // A member with eight may not admit (R14.2-2).
        let eight = try sample.chain(Array(2...9))
        #expect(!eight.mayAdmit(in: sample.charter))
        #expect(try eight.admitting(try Peers.key(50), by: try Peers.identity(9), in: sample.charter) == nil)
        let nine = [try #require(eight.admissions.first)] + eight.admissions
        #expect(try !Self.isValid(nine, for: 9, in: sample, verifying: 0))
    }

    @Test("Any change of a chain is found, and one that ends elsewhere costs no signature")
    func changes() throws {
        let sample = try SampleSession()
        let chain = try sample.chain([2, 3, 4]).admissions
        for index in chain.indices {
            var changed = chain
            var signature = changed[index].signature
            signature[5] ^= 1
            changed[index] = Admission(admitter: chain[index].admitter, signature: signature)
            #expect(try !Self.isValid(changed, for: 4, in: sample))
            changed = chain
            changed.remove(at: index)
            #expect(try !Self.isValid(changed, for: 4, in: sample), "a link is left out")
        }
        #expect(try !Self.isValid(chain.reversed(), for: 4, in: sample, verifying: 0))
        #expect(try !Self.isValid(Array(chain.dropLast()), for: 4, in: sample, verifying: 0))
    }

    @Test("An admission is for one session, one member and one purpose")
    func binding() throws {
        let sample = try SampleSession()
        let other = try SampleSession(nonce: 8)
        #expect(try !Self.isValid(try other.chain([2]).admissions, for: 2, in: sample))
        let key = try Peers.key(2).rawBytes
        for label in ["multipeer/1 roster entry", "multipeer/1 identity proof", "multipeer/1 admissio"] {
            let signature = try sample.founder.sign(sample.charter.signed(label, key).span)
            let forged = Admission(admitter: sample.founder.identityKey.rawBytes, signature: signature)
            #expect(try !Self.isValid([forged], for: 2, in: sample), "\(label)")
        }
        let withoutZero = Array("multipeer/1 admission".utf8) + sample.charter.id.rawBytes + key
        let signature = try sample.founder.sign(withoutZero.span)
        let forged = Admission(admitter: sample.founder.identityKey.rawBytes, signature: signature)
        #expect(try !Self.isValid([forged], for: 2, in: sample))
    }

    @Test("If only the founder admits, nobody else does (R14.1-1, R14.2-1)")
    func founderOnly() throws {
        let sample = try SampleSession(parameters: CharterParameters(admitters: .founder))
        #expect(try Self.isValid(try sample.chain([2]).admissions, for: 2, in: sample))
        #expect(try !sample.chain([2]).mayAdmit(in: sample.charter))
        // Two, made as if every member could.
        let first = try sample.chain([2])
        let message = AdmissionChain.message(admitting: try Peers.key(3).rawBytes, to: sample.charter)
        let second = Admission(
            admitter: try Peers.key(2).rawBytes, signature: try Peers.identity(2).sign(message.span))
        #expect(try !Self.isValid([second] + first.admissions, for: 3, in: sample, verifying: 0))
    }

    @Test("A verified chain is not verified again, and the memory of it is bounded")
    func remembered() throws {
        let sample = try SampleSession()
        var verified = sample.verified
        let chain = try sample.chain([2, 3, 4])
        for _ in 0..<3 {
            let again = AdmissionChain(
                verifying: chain.admissions, for: chain.member, in: sample.charter, with: &verified)
            #expect(again == chain && verified.verifications == 3)
        }
        // 512 others push it out.
        for seed in 0..<512 as Range<UInt64> {
            let member = try Peers.key(1_000 + seed)
            let other = try #require(try sample.chain([]).admitting(member, by: sample.founder, in: sample.charter))
            _ = AdmissionChain(verifying: other.admissions, for: member, in: sample.charter, with: &verified)
        }
        #expect(verified.verifications == 515)
        _ = AdmissionChain(verifying: chain.admissions, for: chain.member, in: sample.charter, with: &verified)
        #expect(verified.verifications == 518)
    }
}
