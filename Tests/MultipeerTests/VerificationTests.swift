import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import Testing

/// One-time codes and short strings between apps, over sockets.
@Suite("Keys that people verify, SPEC §25", .endsIfItHangs)
struct VerificationTests {
    /// A code of the same number that is another one.
    private static func other(than code: OneTimeCode) throws -> OneTimeCode {
        let words = code.words == ["tulip", "orbit"] ? "orbit-tulip" : "tulip-orbit"
        return try #require(OneTimeCode(typed: "\(code.number)-\(words)"))
    }

    /// Why an invitation by a code fails; nil if it does not.
    private static func failure(
        _ friend: Friend, _ other: Friend, _ code: OneTimeCode?
    ) async -> MultipeerError? {
        do throws(MultipeerError) {
            try await friend.session.invite(other.address, code: code)
            return nil
        } catch {
            return error
        }
    }

    private static func cause(_ error: MultipeerError?) -> LinkFailureCause? {
        if case .link(let failure) = error?.cause { failure.cause } else { nil }
    }

    @Test("A peer that types the code that another shows is connected with a verified key, for both, and stays so")
    func invited() async throws {
        let (anna, ben) = (
            try await Friend("Anna", trust: .firstUse), try await Friend("Ben", trust: .firstUse)
        )
        let shown = try await ben.peer.showCode(number: 4)
        #expect(shown.code.number == 4 && !shown.isGuessingSuspected && shown.lifetime == .seconds(600))
        let member = try await anna.session.invite(ben.address, code: shown.code)
        #expect(member.id == ben.id && member.trust == .verified(.oneTimeCode) && member.isVerified)
        #expect(await shown.outcome() == .verified(anna.id))
        try await ben.waits(for: ["Anna"])
        #expect(ben.session.connectedPeers.map(\.trust) == [.verified(.oneTimeCode)])

        await anna.session.disconnect(ben.id)
        try await anna.waits(for: [])
        try await ben.waits(for: [])
        #expect(try await anna.session.invite(ben.address).trust == .verified(.oneTimeCode))
        // A code is good once.
        #expect(
            Self.cause(await Self.failure(try await Friend("Cleo"), ben, shown.code)) == .peerClosed(.codeUnavailable)
        )
    }

    @Test("A wrong code is one guess: neither peer uses its code again, nobody is invited, and a new code works")
    func wrong() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        let shown = try await ben.peer.showCode(number: 7)
        let typed = try Self.other(than: shown.code)
        let error = await Self.failure(anna, ben, typed)
        #expect(Self.cause(error) == .peerClosed(.codeWrong))
        #expect(error?.description.contains("code") == true)
        #expect(await shown.outcome() == .wrong(anna.id))
        #expect(Self.cause(await Self.failure(anna, ben, shown.code)) == .peerClosed(.codeUnavailable))
        #expect(await Self.failure(anna, ben, typed) == .connection(.request(.codeUsed)))
        #expect(anna.connected.isEmpty && ben.seen.events.isEmpty)
        let next = try await ben.peer.showCode(number: 8)
        #expect(try await anna.session.invite(ben.address, code: next.code).trust == .verified(.oneTimeCode))
    }

    @Test("A missing code, another number, or a withdrawn code uses nothing up")
    func unavailable() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        let code = try #require(OneTimeCode(typed: "3-tulip-orbit"))
        #expect(Self.cause(await Self.failure(anna, ben, code)) == .peerClosed(.codeUnavailable))
        var shown: DisplayedCode? = try await ben.peer.showCode(number: 5)
        #expect(Self.cause(await Self.failure(anna, ben, code)) == .peerClosed(.codeUnavailable))
        await shown?.withdraw()
        #expect(await shown?.outcome() == .withdrawn)
        let withdrawn = try #require(shown?.code)
        #expect(Self.cause(await Self.failure(anna, ben, withdrawn)) == .peerClosed(.codeUnavailable))
        // Another one takes its place, and one that nobody keeps is shown no more.
        shown = try await ben.peer.showCode()
        let dropped = try await ben.peer.showCode()
        #expect(await shown?.outcome() == .withdrawn)
        shown = nil
        #expect(try await anna.peer.pair(with: ben.address, code: dropped.code) == ben.id)
    }

    @Test("A peer at the address without the code is not connected, however often it invites in the meantime")
    func invitesInstead() async throws {
        let ben = try await Friend("Ben", trust: .firstUse, accepts: { _ in false })
        for number in 1...20 {
            let (anna, eve) = (try await Friend("Anna"), try await Friend("Eve"))
            let shown = try await anna.peer.showCode(number: number)
            let flood = Task {
                while !Task.isCancelled { _ = try? await eve.session.invite(ben.address, timeout: .milliseconds(200)) }
            }
            // Now with a code that eve could answer, if she knew it, and now with none of hers at all.
            if number.isMultiple(of: 2) { _ = try await eve.peer.showCode(number: number) }
            #expect(await Self.failure(ben, eve, shown.code) != nil)
            flood.cancel()
            await flood.value
            #expect(ben.connected.isEmpty && !ben.seen.comings.contains("+Eve"), "\(ben.seen.comings)")
            await eve.session.leave()
            await anna.session.leave()
        }
    }

    @Test("Two peers pair without a session, and are verified when they meet later")
    func paired() async throws {
        let (anna, ben) = (
            try await Friend("Anna", trust: .firstUse), try await Friend("Ben", trust: .firstUse)
        )
        let shown = try await ben.peer.showCode()
        #expect(try await anna.peer.pair(with: ben.address, code: shown.code, expecting: ben.id.key) == ben.id)
        #expect(await shown.outcome() == .verified(anna.id))
        #expect(anna.connected.isEmpty && ben.connected.isEmpty)
        #expect(try await ben.session.invite(anna.address).trust == .verified(.oneTimeCode))
        try await anna.waits(for: ["Ben"])
        #expect(anna.session.connectedPeers.map(\.trust) == [.verified(.oneTimeCode)])
    }

    @Test("Both people want to compare, see the same, and confirm separately")
    func compared() async throws {
        let (anna, ben) = (
            try await Friend("Anna", trust: .firstUse), try await Friend("Ben", trust: .firstUse)
        )
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        #expect(ben.session.connectedPeers.map(\.isVerified) == [false])
        async let annas = anna.session.compare(with: ben.id)
        try await eventually {
            ben.seen.events.contains {
                if case .comparisonWanted(let member) = $0 { member.id == anna.id } else { false }
            }
        }
        let bens = try await ben.session.compare(with: anna.id)
        let seen = try await annas.string
        #expect(seen == bens.string && seen.words.count == 3)
        try await bens.confirm()
        #expect(ben.session.connectedPeers.map(\.trust) == [.verified(.shortString)])
        try await eventually {
            ben.seen.events.contains { if case .verified(let member) = $0 { member.isVerified } else { false } }
        }
        #expect(anna.session.connectedPeers.map(\.isVerified) == [false])
        // One connection carries one comparison; what was confirmed is remembered.
        await #expect(throws: MultipeerError.self) { try await ben.session.compare(with: anna.id) }
        await anna.session.disconnect(ben.id)
        try await anna.waits(for: [])
        try await ben.waits(for: [])
        #expect(try await ben.session.invite(anna.address).trust == .verified(.shortString))
    }

    @Test("If the strings differ, the connection closes with the reason, and nothing is remembered")
    func denied() async throws {
        let (anna, ben) = (
            try await Friend("Anna", trust: .firstUse), try await Friend("Ben", trust: .firstUse)
        )
        try await anna.session.invite(ben.address)
        try await ben.waits(for: ["Anna"])
        async let annas = anna.session.compare(with: ben.id)
        let bens = try await ben.session.compare(with: anna.id)
        await bens.deny()
        try await anna.waits(for: [])
        try await eventually { anna.seen.reasons(for: "Ben").contains { $0.description.contains("differ") } }
        let late = try await annas
        await #expect(throws: MultipeerError.verification(.notConnected)) { try await late.confirm() }
        #expect(try await ben.session.invite(anna.address).trust == .remembered)
    }

    @Test("A comparison for which the remote person has no time ends with the connection")
    func alone() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        await #expect(throws: MultipeerError.verification(.notConnected)) {
            try await anna.session.compare(with: ben.id)
        }
        try await anna.session.invite(ben.address)
        async let comparison: Comparison? = try? anna.session.compare(with: ben.id)
        try await eventually {
            ben.seen.events.contains { if case .comparisonWanted = $0 { true } else { false } }
        }
        await ben.session.disconnect(anna.id)
        #expect(await comparison == nil)
    }

    @Test("R25.9-2: a link to a peer leads to its key alone, at the first address that has it, with its code")
    func link() async throws {
        let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
        let shown = try await ben.peer.showCode()
        let (bens, cleos) = (ben.address, cleo.address)
        let text = PeerLink(key: ben.id.key, addresses: [cleos, bens], code: shown.code).description
        let member = try await anna.session.invite(try PeerLink(text))
        #expect(member.id == ben.id && member.trust == .verified(.oneTimeCode))
        #expect(cleo.seen.events.isEmpty)
        let falseLink = PeerLink(key: ben.id.key, addresses: [cleos])
        let dora = try await Friend("Dora")
        do throws(MultipeerError) {
            try await dora.session.invite(falseLink)
            Issue.record("another peer was invited")
        } catch {
            #expect(Self.cause(error) == .violation(.unexpectedIdentity(cleo.id.key)))
        }
    }
}
