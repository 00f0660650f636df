import Foundation
import Glibc
import MultipeerTestSupport
import Testing

@Suite("Local files and folders", .endsIfItHangs)
struct LocalFileTests {
    private static let listening = ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified"]

    @Test("A file of unknown length is not sent as an empty one")
    func unknownSize() async throws {
        let finished = try await Tool.run(
            ["connect", "127.0.0.1:1", "--accept-unverified", "--json", "--file", "/proc/self/status"])
        #expect(finished.status == 66)
        #expect(finished.events.first("failed")?["reason"]?.string?.contains("how long") == true)
        #expect(finished.events.first("connecting") == nil)
    }

    @Test("An argument that is not UTF-8 never names another file")
    func bytes() async throws {
        let scratch = try Scratch()
        // What Swift makes of the argument.
        _ = try scratch.write("a\u{FFFD}", [1])
        let script = #"exec "$0" connect 127.0.0.1:1 --accept-unverified --json --file "$1/$(printf 'a\377')""#
        let finished = try await Tool(["-c", script, Tool.laboratory, scratch.path], program: "/bin/sh").finish()
        #expect(finished.status == 64)
        #expect(finished.events.first("failed")?["reason"]?.string?.contains("not UTF-8") == true)
        #expect(finished.errors.contains("argument 6"))
    }

    @Test("A variable that is not UTF-8 never names another store")
    func environment() async throws {
        let script = #"XDG_DATA_HOME="$1/$(printf 'a\377')" exec "$0" identity create Ada"#
        let scratch = try Scratch()
        let finished = try await Tool(["-c", script, Tool.multipeer, scratch.path], program: "/bin/sh").finish()
        #expect(finished.status == 64)
        #expect(finished.errors.contains("XDG_DATA_HOME"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test("A store that others can change is not used", arguments: [0o770, 0o707, 0o777])
    func openStore(mode: Int) async throws {
        let ada = try await Person("Ada")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: ada.scratch.path)
        for arguments in [
            ["identity", "show"], ["identity", "create", "Eve"], ["connect", "127.0.0.1:1", "--trust-on-first-use"],
        ] {
            let finished = try await Tool.run(arguments + ada.store)
            #expect(finished.status == 66)
            #expect(finished.errors.contains("chmod go-w " + ada.scratch.path))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: ada.scratch.path)
        #expect(try await Tool.run(["identity", "show"] + ada.store).status == 0)
    }

    @Test("A store of another user is not used", .enabled(if: geteuid() == 0))
    func foreignStore() async throws {
        let ada = try await Person("Ada")
        #expect(chown(ada.scratch.path, 12_345, 12_345) == 0)
        let finished = try await Tool.run(["identity", "show"] + ada.store)
        #expect(finished.status == 66)
        #expect(finished.errors.contains("another user (12345)"))
    }

    @Test("A folder that takes no files is reported at the start")
    func unwritableFolder() async throws {
        // Nobody, not even root, makes files here.
        let finished = try await Tool.run(Self.listening + ["--save", "/sys"])
        #expect(finished.status == 73)
        #expect(finished.events.names == ["failed"])
        let scratch = try Scratch()
        let listener = try Tool(Self.listening + ["--save", scratch / "in"])
        _ = try await listener.address()
        #expect(try scratch.names(in: "in") == [])
        listener.send(SIGTERM)
        #expect(await listener.finish().status == 0)
    }
}
