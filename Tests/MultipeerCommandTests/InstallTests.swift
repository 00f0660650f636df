import Foundation
import MultipeerTestSupport
import Testing

/// `Scripts/install` with the tool that is built already: a release build of its own takes minutes (README).
@Suite("Scripts/install", .endsIfItHangs)
struct InstallTests {
    private let scratch: Scratch
    private var prefix: String { scratch / "local" }

    init() throws { scratch = try Scratch() }

    private func install(_ arguments: String...) async throws -> Tool.Finished {
        try await Tool.run(arguments, program: Repository.path("Scripts/install"), environment: ["HOME": scratch.path])
    }

    private func files() throws -> Set<String> {
        Set(
            (FileManager.default.enumerator(atPath: prefix)?.allObjects as? [String] ?? []).filter {
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(prefix)/\($0)", isDirectory: &isFolder)
                    && !isFolder.boolValue
            })
    }

    @Test("Tool, man pages and completions are installed, work and are uninstalled; nothing else changes")
    func all() async throws {
        try scratch.write("local/bin/other", "mine")
        let installed = try await install("--prefix", prefix, "--from", Tool.multipeer)
        #expect(installed.status == 0, "\(installed.errors)")
        #expect(installed.output == "\(prefix)/bin/multipeer\n")
        #expect(installed.errors.contains("\(prefix)/bin is not on PATH"))
        let version = try await Tool.run(["--version"], program: prefix + "/bin/multipeer")
        #expect(version.status == 0)
        let found = try files()
        let wanted = [
            "bin/multipeer", "bin/other", "share/man/man1/multipeer.1", "share/man/man1/multipeer-send.1",
            "share/bash-completion/completions/multipeer", "share/zsh/site-functions/_multipeer",
            "share/fish/vendor_completions.d/multipeer.fish",
        ]
        #expect(found.isSuperset(of: wanted), "\(found)")
        #expect(found.filter { $0.hasSuffix(".1") }.count >= 12)
        let again = try await install("--prefix", prefix, "--from", Tool.multipeer)
        #expect(again.status == 0)
        #expect(try files() == found)
        let removed = try await install("--prefix", prefix, "--remove")
        #expect(removed.status == 0)
        #expect(try files() == ["bin/other"])
    }

    @Test("The laboratory is installed and removed by itself")
    func laboratory() async throws {
        _ = try await install("--prefix", prefix, "--from", Tool.multipeer)
        let people = try files()
        let installed = try await install("--lab", "--prefix", prefix, "--from", Tool.laboratory)
        #expect(installed.output == "\(prefix)/bin/multipeer-lab\n", "\(installed.errors)")
        let both = try files()
        let wanted = [
            "bin/multipeer-lab", "share/man/man1/multipeer-lab.1", "share/man/man1/multipeer-lab-vectors.1",
            "share/zsh/site-functions/_multipeer-lab",
        ]
        #expect(both.isSuperset(of: people.union(wanted)), "\(both)")
        #expect(try await install("--prefix", prefix, "--remove").status == 0)
        #expect(try files() == both.subtracting(people))
        #expect(try await install("--lab", "--prefix", prefix, "--remove").status == 0)
        #expect(try files() == [])
    }

    @Test("Without a folder the target is ~/.local; arguments that make no sense are refused with a reason")
    func others() async throws {
        #expect(try await install("--from", Tool.multipeer).output == "\(scratch.path)/.local/bin/multipeer\n")
        let missing = try await install("--from", scratch / "nothing")
        #expect(missing.status == 66 && missing.errors.contains("is no program"))
        #expect(try await install("--prefx", prefix).status == 64)
        #expect(try await install("--prefix").status == 64)
        let refused = try await install("--prefix", "/proc", "--from", Tool.multipeer)
        #expect(refused.status == 73 && refused.errors.contains("another folder"))
    }
}
