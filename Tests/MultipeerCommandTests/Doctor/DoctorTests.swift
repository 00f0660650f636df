import Foundation
import MultipeerTestSupport
import Testing

/// The tool as a process, on the loopback interface. Scripts/prove-doctor has networks, firewalls, clocks and the daemon.
@Suite("multipeer doctor", .endsIfItHangs)
struct DoctorTests {
    private static let loopback = ["MULTIPEER_INTERFACE": "lo", "LC_ALL": "C.UTF-8"]

    private static func run(_ arguments: [String], json: Bool = true) async throws -> Tool.Finished {
        try await Tool.run(["doctor"] + arguments + (json ? ["--json"] : []), environment: loopback)
    }

    private static func result(_ name: String, of finished: Tool.Finished) throws -> JSONValue {
        try #require(finished.events.all("check").first { $0["check"] == .string(name) }, "\(finished.errors)")
    }

    @Test("Every check is reported once, in order, and the end counts the issues")
    func all() async throws {
        let scratch = try Scratch()
        let finished = try await Self.run(["--store", scratch / "none"])
        #expect(
            finished.events.all("check").compactMap { $0["check"]?.string } == [
                "interfaces", "multicast", "daemon", "ports", "firewall", "clock", "certificates", "store", "peer",
                "policy",
                "terminal",
            ])
        let diagnosis = try #require(finished.events.last)
        #expect(diagnosis["event"] == .string("diagnosis") && diagnosis["checks"] == .number(11))
        // Other properties of this host do not matter.
        #expect(finished.status == (diagnosis["problems"] == .number(0) ? 0 : 1))
        #expect(
            try Self.result("multicast", of: finished)["seen"]?.string?.contains("lo IPv4 sent and received") == true)
        #expect(try Self.result("peer", of: finished)["finding"] == .string("skipped"))
        #expect(!FileManager.default.fileExists(atPath: scratch / "none"))
    }

    @Test("The doctor finishes although a library fakes its clocks, so that no timer fires")
    func otherTime() async throws {
        let scratch = try Scratch()
        let source = Repository.path("Scripts/doctor/other-time.c")
        try MultipeerTestSupport.Tool.check(
            "sh",
            [
                "-c", #"$(command -v cc || command -v clang) -shared -fPIC -o "$1" "$2""#, "sh",
                scratch / "other-time.so", source,
            ])
        let environment = [
            "LD_PRELOAD": scratch / "other-time.so", "OTHER_TIME": "200000000", "OTHER_STEADY_TIME": "200000000",
        ]
        // The last line was printed in time in about every third run.
        for _ in 0..<4 {
            let finished = try await Tool.run(
                ["doctor", "--only", "clock", "--json"], environment: Self.loopback.merging(environment) { $1 })
            #expect(finished.events.names == ["check", "diagnosis"])
        }
    }

    @Test("An unreadable store is a problem; a missing one is not")
    func hiddenStore() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("file", [1])
        let finished = try await Self.run(["--only", "store", "--store", file + "/store"])
        withExtendedLifetime(scratch) {}
        #expect(finished.status == 1)
        let result = try Self.result("store", of: finished)
        #expect(result["seen"]?.string?.hasSuffix("cannot be looked at") == true, "\(result)")
    }

    @Test("An expired certificate of openssl is a problem, and a valid one is not")
    func certificates() async throws {
        let authority = try await OpenSSLAuthority("Root")
        let (good, bad) = (try await authority.issue("ada"), try await authority.issue("ben", isExpired: true))
        let only = ["--only", "certificates", "--trust", authority.certificate]
        #expect(try await Self.run(only + good.arguments).status == 0)
        let finished = try await Self.run(only + bad.arguments)
        #expect(finished.status == 1)
        let issue = try Self.result("certificates", of: finished)["issues"]?[0]
        #expect(issue?["reason"]?.string?.contains("expired") == true)
        #expect(issue?["remedy"]?.string?.contains("renewed") == true)
        let people = try await Self.run(only + bad.arguments, json: false)
        #expect(people.output.hasPrefix("✘ certificates") && people.output.contains("remedy: Have it renewed"))
    }

    @Test("A store that others can change is a problem with a remedy")
    func store() async throws {
        let person = try await Person("Ada")
        #expect(try await Self.run(["--only", "store"] + person.store).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: person.scratch.path)
        let finished = try await Self.run(["--only", "store"] + person.store)
        #expect(finished.status == 1)
        let issue = try Self.result("store", of: finished)["issues"]?[0]
        #expect(issue?["remedy"]?.string?.contains("chmod go-w") == true)
    }

    @Test("A port that is in use is reported with its owner")
    func port() async throws {
        let server = try PlainServer(reply: nil)
        let port = try #require(server.address.split(separator: ":").last.map(String.init))
        let finished = try await Self.run(["--only", "ports", "--port", port])
        #expect(finished.status == 1)
        let reason = try Self.result("ports", of: finished)["issues"]?[0]?["reason"]?.string
        #expect(reason?.hasPrefix("TCP port \(port) is in use by ") == true)
        withExtendedLifetime(server) {}
    }

    @Test("Two processes: a peer that is not invited reports no policy, and policies that cannot agree are reported")
    func policies() async throws {
        let listener = try Tool([
            "listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified", "--encryption", "required",
        ])
        let peer = ["--only", "peer", "--only", "policy", "--peer", try await listener.address()]
        let shy = try await Self.run(peer)
        #expect(shy.status == 0)
        #expect(try Self.result("policy", of: shy)["seen"]?.string?.contains("--invite") == true)
        let agreed = try await Self.run(peer + ["--invite", "--accept-unverified"])
        #expect(agreed.status == 0)
        #expect(try Self.result("policy", of: agreed)["seen"]?.string?.contains("payload is encrypted") == true)
        let apart = try await Self.run(peer + ["--invite", "--accept-unverified", "--encryption", "none"])
        #expect(apart.status == 1)
        let issue = try Self.result("policy", of: apart)["issues"]?[0]
        #expect(issue?["reason"]?.string?.contains("the local one is none, the remote one required") == true)
        #expect(issue?["remedy"] == .string("Allow encryption here: --encryption optional."))
        listener.send(SIGTERM)
        let finished = await listener.finish()
        // Nobody was asked without --invite.
        #expect(finished.events.all("invited").count == 2)
    }

    @Test(
        "Usage errors: 64",
        arguments: [
            ["--invite"], ["--expect", String(repeating: "ab", count: 32)], ["--only", "weather"], ["--port", "0"],
            ["--certificate", "x"], ["--peer", "nowhere"], ["--pin", "x"],
        ])
    func usage(arguments: [String]) async throws {
        let finished = try await Self.run(arguments)
        #expect(finished.status == 64)
    }
}
