import Foundation
import MultipeerTestSupport
import Testing

@Suite("multipeer-lab conformance")
struct ConformanceCommandTests {
    /// A few cases of every kind: a session, a silent end, REFUSAL, CLOSE codes, files, certificates.
    private static let cases = [
        "5-session", "6.1-magic-http", "7.5", "7.3-n", "9.5", "10.4", "12.4-flipped", "15.3-transfer",
    ]
    private static let only = cases.flatMap { ["--only", $0] }

    @Test("Against the listening tool all cases pass, and the reports say so")
    func connects() async throws {
        let scratch = try Scratch()
        let listener = try Tool([
            "listen", "--port", "0", "--accept", "all", "--accept-unverified", "--encryption", "optional", "--save",
            scratch.path, "--json",
        ])
        let address = try await listener.address()
        let (json, junit) = (scratch.path + "/report.json", scratch.path + "/report.xml")
        let run = try await Tool.run(
            [
                "conformance", "--connect", address, "--encryption", "optional", "--json", json, "--junit", junit,
                "--timeout", "30",
            ]
                + Self.only)
        listener.send(SIGTERM)
        _ = await listener.finish()
        #expect(run.status == 0, Comment(rawValue: run.output + run.errors))
        #expect(run.output.contains("passed 9.5-reflected-proof"))
        let last = try #require(run.output.split(separator: "\n").last)
        #expect(last.hasSuffix(" passed, 0 failed, 0 skipped"))
        let text = try String(contentsOfFile: json, encoding: .utf8)
        let report = try #require(JSONValue.parse(text))
        #expect(report["schema"]?.string == "conformance-v1" && report["tester"]?.string == "initiator")
        #expect(text.contains("\"id\":\"9.5-reflected-proof\"") && text.contains("CLOSE proof_invalid"))
        #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("failures=\"0\" errors=\"0\""))
    }

    @Test("Against the connecting tool, run for each case")
    func listens() async throws {
        let scratch = try Scratch()
        let peer =
            "\(Tool.laboratory) connect HOST:PORT --accept-unverified --encryption optional --save \(scratch.path) --stay"
        let run = try await Tool.run(
            ["conformance", "--listen", "0", "--peer-command", peer, "--timeout", "30"] + Self.only)
        #expect(run.status == 0, Comment(rawValue: run.output + run.errors))
        #expect(run.output.contains("passed 7.5-refused-busy"))
        #expect(run.output.contains(" 0 failed, "))
    }

    @Test("A peer that never connects is inconclusive, with status 76")
    func noPeer() async throws {
        let run = try await Tool.run([
            "conformance", "--listen", "0", "--peer-command", "exit 0", "--timeout", "0.5", "--only",
            "5-session-chachapoly",
        ])
        #expect(run.status == 76)
        #expect(run.output.contains("INCONCLUSIVE 5-session-chachapoly"))
        // Once more at the end, where a person who reads a long log looks.
        let end = try #require(run.output.split(separator: "Not passed:\n").last)
        #expect(end.hasPrefix("  INCONCLUSIVE 5-session-chachapoly: "))
        #expect(end.hasSuffix("\n0 passed, 0 failed, 0 skipped, 1 inconclusive\n"))
    }

    @Test(
        "Arguments that make no sense are refused",
        arguments: [
            ["conformance"], ["conformance", "--connect", "127.0.0.1:1", "--listen", "1"],
            ["conformance", "--connect", "127.0.0.1:1", "--only", "nonsense"],
            ["conformance", "--connect", "127.0.0.1:1", "--peer-command", "true"],
            ["conformance", "--connect", "unix:/tmp/x"], ["conformance", "--connect", "127.0.0.1:1", "--peer", "both"],
        ])
    func usage(arguments: [String]) async throws {
        #expect(try await Tool.run(arguments).status == 64)
    }

    @Test("--list plays nothing")
    func list() async throws {
        let run = try await Tool.run(["conformance", "--list", "--only", "12.5"])
        #expect(run.status == 0)
        #expect(run.output.split(separator: "\n").count == 2)
    }
}
