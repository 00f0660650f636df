import Dispatch
import MultipeerWire
import Testing

@testable import MultipeerConformance

@Suite("Verdicts and reports")
struct RunnerTests {
    private static func oneCase(_ id: String) throws -> ConformanceCase {
        try #require(ConformanceCases.all.first { $0.id == id })
    }

    /// Plays a case against something that answers a connection by fixed bytes.
    private static func play(
        _ id: String, against answer: [UInt8], thenEnds: Bool,
        profile: PeerProfile = PeerProfile(invitations: .accepts), patience: Duration = .seconds(20)
    ) async throws -> CaseResult {
        let listener = try TCPListener(host: "127.0.0.1", port: 0)
        DispatchQueue(label: "test.peer").async {
            guard let stream = try? listener.accept(until: .after(.seconds(20))) else { return }
            try? stream.send(answer, until: .after(.seconds(20)))
            if thenEnds { stream.endSending() }
            while let bytes = try? stream.receive(until: .after(.seconds(20))), !bytes.isEmpty {}
        }
        let runner = ConformanceRunner(
            source: ConnectingSource(host: "127.0.0.1", port: listener.port), cryptography: Tools.cryptography,
            profile: profile, patience: patience)
        return await runner.play(try oneCase(id))
    }

    @Test("If nobody listens, no case has a verdict")
    func unreachable() async throws {
        let runner = ConformanceRunner(
            // A port that was free a moment ago may be another test's by now.
            source: ConnectingSource(host: "127.0.0.1", port: 1), cryptography: Tools.cryptography,
            profile: PeerProfile(invitations: .accepts), patience: .seconds(20))
        let result = await runner.play(try Self.oneCase("5-session"))
        #expect(result.verdict == .inconclusive, result.report)
    }

    @Test(
        "A peer that never answers passes nothing, in bounded time",
        arguments: ["5-session", "6.1-magic-http", "7.1-version-twice"])
    func silent(id: String) async throws {
        let result = try await Self.play(id, against: [], thenEnds: false, patience: .seconds(3))
        #expect(result.verdict == .failed, result.report)
        #expect(result.trace.contains { $0.text == "nothing in time" })
    }

    @Test("A case of a late state has no verdict on a peer that does not get there")
    func notReached() async throws {
        let result = try await Self.play("12.5-rekey", against: [], thenEnds: true)
        #expect(result.verdict == .inconclusive, result.report)
    }

    @Test(
        "A peer that closes every connection at once passes nothing by its silence",
        arguments: ["6.1-magic-http", "7.1-version-twice", "9.4-weak-key-0"])
    func dead(id: String) async throws {
        let listener = try TCPListener(host: "127.0.0.1", port: 0)
        DispatchQueue(label: "test.peer").async {
            // One connection for the case, one to see whether the peer still listens.
            for _ in 0..<2 {
                guard let stream = try? listener.accept(until: .after(.seconds(20))) else { return }
                stream.endSending()
                while let bytes = try? stream.receive(until: .after(.seconds(20))), !bytes.isEmpty {}
            }
        }
        let runner = ConformanceRunner(
            source: ConnectingSource(host: "127.0.0.1", port: listener.port), cryptography: Tools.cryptography,
            profile: PeerProfile(invitations: .accepts), patience: .seconds(20))
        let result = await runner.play(try Self.oneCase(id))
        #expect(result.verdict == .failed, result.report)
    }

    @Test("A peer of another protocol is recognised by its first byte")
    func foreign() async throws {
        let result = try await Self.play(
            "5-session", against: Array("HTTP/1.1 400 Bad Request\r\n".utf8), thenEnds: true)
        #expect(result.verdict == .failed && result.came.hasPrefix("R6.1-1"), result.report)
    }

    @Test("A case that does not apply says why")
    func notApplicable() async throws {
        var profile = PeerProfile(invitations: .invites)
        let invited = try await Self.play("8.2-timeout-zero", against: [], thenEnds: true, profile: profile)
        #expect(invited.verdict == .skipped && invited.came == "the peer has to accept invitations, and send none")
        profile.expectsAnother = true
        let expecting = try await Self.play("5-session", against: [], thenEnds: true, profile: profile)
        #expect(expecting.verdict == .skipped && expecting.came == "the peer expects another peer than the tester")
    }

    @Test("A trace prints bytes with both their digits")
    func traceOfKey() {
        let proof = [UInt8](arrayLiteral: 0x0A, 0x05, 0x00, 0xFF) + [UInt8](repeating: 7, count: 92)
        let text = FrameText.describe(type: FrameType.proof.rawValue, payload: proof)
        #expect(text == "PROOF (identityKey 0a0500ff…, signature 07070707…)")
    }

    @Test("IDs are sections and topics, and unique; every case says what it expects")
    func identifiers() {
        let ids = ConformanceCases.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for conformanceCase in ConformanceCases.all {
            #expect(conformanceCase.id.prefixMatch(of: /[0-9]+(\.[0-9]+)?-[a-z0-9]/) != nil, "\(conformanceCase.id)")
            #expect(!conformanceCase.requirements.isEmpty && !conformanceCase.expectation.isEmpty)
            #expect(!conformanceCase.title.isEmpty, "\(conformanceCase.id)")
        }
    }

    @Test("Cases are selected by prefixes, patterns, levels and deadlines")
    func selection() {
        func ids(_ adjust: (inout CaseSelection) -> Void) -> [String] {
            var selection = CaseSelection()
            adjust(&selection)
            return ConformanceCases.all.filter(selection.contains).map(\.id)
        }
        #expect(ids { $0.patterns = ["12.5"] } == ["12.5-rekey", "12.5-old-key"])
        #expect(
            ids { $0.patterns = ["9*proof-open", "*busy"] } == [
                "7.5-refused-busy", "8.4-busy", "9.5-second-proof-open",
            ])
        #expect(ids { $0.patterns = ["nothing"] }.isEmpty)
        #expect(
            !ids { _ in }.contains("7.4-offers-grease")
                && ids { $0.includesShould = true }.contains("7.4-offers-grease"))
        // A whole ID selects a case that is excluded by default.
        #expect(ids { $0.patterns = ["7.4-offers-grease"] } == ["7.4-offers-grease"])
        #expect(ids { _ in }.contains("19-deadline-hello") && !ids { _ in }.contains("19-deadline-ready"))
        #expect(ids { $0.includesSlow = true }.contains("19-deadline-ready"))
    }

    @Test("A report counts, and its JUnit keeps failures apart from cases without a verdict")
    func report() async throws {
        let failed = try await Self.play("6.1-magic-http", against: Array("<&\">".utf8), thenEnds: true)
        let inconclusive = try await Self.play("12.5-rekey", against: [], thenEnds: true)
        let report = ConformanceReport(results: [failed, inconclusive])
        #expect(report.summary == "0 passed, 1 failed, 0 skipped, 1 inconclusive")
        #expect(!report.isPassed && !ConformanceReport(results: []).isPassed)
        #expect(report.junit.contains("tests=\"2\" failures=\"1\" errors=\"1\" skipped=\"0\""))
        #expect(report.junit.contains("<testcase classname=\"SPEC §6.1\" name=\"6.1-magic-http\""))
        #expect(report.junit.contains("-&gt; ") && !report.junit.contains("-> "))
    }
}
