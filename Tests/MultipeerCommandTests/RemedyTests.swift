import MultipeerTestSupport
import Testing

/// A printed remedy has to help: it names what the remote peer really runs, and options that the command
/// really has.
@Suite("Remedies, as a person follows them", .endsIfItHangs)
struct RemedyTests {
    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    /// The remedy of a command that fails.
    private func remedy(_ arguments: [String], status: Int32) async throws -> String {
        let run = try await Tool.run(arguments + ["--json"])
        #expect(run.status == status, "\(arguments): \(run.errors)")
        return try #require(run.events.first("failed")?["remedy"]?.string)
    }

    /// The options that a text names, such as `--save`.
    private static func options(in text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    }

    @Test(
        "A peer that is not found is to run the counterpart of this command",
        arguments: [
            (["send", "/dev/null", "--to", "Nobody"], "multipeer receive "),
            (["send", "/dev/null", "--code", "4-tulip-orbit"], "multipeer receive --code"),
            (["pair", "4-tulip-orbit"], "multipeer pair"), (["chat", "Nobody"], "multipeer chat --visible"),
        ])
    func nobody(arguments: [String], counterpart: String) async throws {
        let path = try scratch.write("file", [1])
        let real = arguments.map { $0 == "/dev/null" ? path : $0 }
        let remedy = try await remedy(real + ["--within", "0.3"] + store("Anna") + options, status: 69)
        #expect(remedy.contains("Run \(counterpart)"), "\(remedy)")
    }

    @Test("For a file that listen declines the remedy is --save; for one that receive declines it is to ask the person")
    func declined() async throws {
        let path = try scratch.write("file", [1])
        let listener = try Tool(["listen", "--port", "0", "--accept", "all", "--accept-unverified", "--json"])
        let address = try await listener.address()
        let session = try await remedy(["connect", address, "--accept-unverified", "--file", path], status: 77)
        #expect(session == "Have the peer take files: --save DIR.")
        listener.send(15)
        _ = await listener.finish()
        let saving = try Tool(
            ["listen", "--port", "0", "--accept", "all", "--accept-unverified", "--json", "--save", scratch.path])
        let other = try await saving.address()
        #expect(try await Tool.run(["connect", other, "--accept-unverified", "--file", path]).status == 0)
        saving.send(15)
        _ = await saving.finish()

        try scratch.write("in/.keep", [])
        // There is nobody to ask, so it declines.
        let receiver = try Tool(["receive", "--json", "--dir", scratch / "in"] + store("Ben") + options)
        _ = try await receiver.event("advertised")
        let nearby = try await remedy(["send", path, "--to", "Ben"] + store("Anna") + options, status: 77)
        #expect(nearby.contains("Ask the remote person") && !nearby.contains("--save"))
        receiver.send(15)
        let finished = await receiver.finish()
        #expect(finished.errors.contains("--accept all"), "the receiver's output has the remedy: \(finished.errors)")
    }

    @Test("A remedy for the local command names only options of that command")
    func ownOptions() async throws {
        for arguments in [
            ["chat", "127.0.0.1:1", "--trust-on-first-use", "--listen", "127.0.0.1:0"] + store("Anna"),
            ["connect", "127.0.0.1:1", "--trust-on-first-use"] + store("Anna"),
            ["chat", "--keep", "x", "--accept-unverified", "--listen", "127.0.0.1:0", "--store", scratch / "none"],
            ["nearby", "--discovery", "daemon", "--seconds", "0.1"] + store("Anna"),
        ] {
            let run = try await Tool.run(
                arguments + ["--json"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"])
            let remedy = try #require(run.events.first("failed")?["remedy"]?.string, "\(arguments): \(run.errors)")
            let help = try await Tool.run(["help", arguments[0]]).output
            #expect(Self.options(in: remedy).isSubset(of: Self.options(in: help)), "\(arguments[0]): \(remedy)")
        }
    }

    @Test(
        "An address that cannot be listened at is reported as it was given", arguments: ["300.1.1.1:5", "192.0.2.77:0"])
    func place(address: String) async throws {
        try scratch.write("in/.keep", [])
        let run = try await Tool.run(
            ["receive", "--json", "--dir", scratch / "in", "--listen", address] + store("Ben") + options)
        #expect(run.status == 71)
        #expect(run.events.first("failed")?["reason"]?.string?.hasPrefix(address) == true, "\(run.errors)")
    }

    @Test("The remedy for a missing daemon works")
    func daemon() async throws {
        let without = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]
        let run = try await Tool.run(
            ["nearby", "--discovery", "daemon", "--seconds", "0.1", "--json"] + store("Anna"), environment: without)
        #expect(run.status == 71)
        #expect(run.events.first("failed")?["remedy"]?.string?.contains("--discovery embedded") == true)
        let mended = try await Tool.run(
            ["nearby", "--discovery", "embedded", "--interface", "lo", "--seconds", "0.1"] + store("Anna"),
            environment: without)
        #expect(mended.status == 0, "\(mended.errors)")
    }
}
