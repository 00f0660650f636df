import ArgumentParser
import Foundation
import Multipeer
import MultipeerCommandLine
import MultipeerConformance
import MultipeerNIO

/// `multipeer-lab conformance`
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Play cases against a live peer, and report whether it does what SPEC.md requires.",
        discussion: """
            With --connect the tester is the initiator: start a peer that listens and serves one connection after the \
            other, accepts every invitation and every peer without a certificate, and takes files. For this tool that is \
            `multipeer-lab listen --port 7000 --accept all --accept-unverified --encryption optional --save received`.

            With --listen the tester is the responder: let a peer connect again and again, or give --peer-command, which is \
            run for each case with HOST:PORT replaced by the tester's address. For this tool that is \
            `--peer-command 'multipeer-lab connect HOST:PORT --accept-unverified --encryption optional --save received --stay'`. \
            A peer that invites has to wait for the tester to close.

            With the encryption preference *optional* most cases apply. A case that does not apply is skipped and says why. \
            Ends with status 0 if every case that applies was passed, and with 76 if not; the last line counts them. \
            docs/conformance.md explains more, and lists all cases.

            Examples:
              multipeer-lab conformance --connect 127.0.0.1:7000
              multipeer-lab conformance --listen 7000 --peer-command 'my-peer HOST:PORT'
            """)

    @OptionGroup(title: "The peer") var peer: PeerOptions

    @Flag(help: "Also require what SPEC.md recommends (SHOULD), and wait for deadlines of a minute.")
    var strict = false

    @Flag(help: "Also play the cases that wait for deadlines of a minute.")
    var slow = false

    @Option(
        help: ArgumentHelp(
            "Play only cases whose ID begins with this, or matches a pattern with *. Repeatable.", valueName: "pattern")
    )
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long a case may take, in addition to deadlines that it waits for.", valueName: "seconds"),
        transform: Arguments.timeout)
    var timeout: Duration = .seconds(5)

    @Option(help: ArgumentHelp("Write the results as JSON.", valueName: "file"), completion: .file())
    var json: String?

    @Option(help: ArgumentHelp("Write the results as JUnit.", valueName: "file"), completion: .file())
    var junit: String?

    @Flag(help: "Print the wire for every case, not only for those that do not pass.")
    var verbose = false

    @Flag(help: "List the cases that would be played, without playing them.")
    var list = false

    private var selection: CaseSelection {
        var selection = CaseSelection()
        selection.patterns = only
        selection.includesShould = strict
        selection.includesSlow = strict || slow
        return selection
    }

    func validate() throws {
        guard list || (peer.connect == nil) != (peer.listen == nil) else {
            throw ValidationError("Give --connect HOST:PORT or --listen PORT.")
        }
        guard peer.peerCommand == nil || peer.listen != nil else {
            throw ValidationError("--peer-command requires --listen.")
        }
        guard ConformanceCases.all.contains(where: selection.contains) else {
            throw ValidationError("No case has such an ID (--list shows all).")
        }
    }

    func run() async throws {
        let command = self
        try await OutputOptions.run(isJSON: false) { output throws(CommandFailure) in try await command.play(output) }
    }

    private func play(_ output: Output) async throws(CommandFailure) -> ExitStatus {
        let cases = ConformanceCases.all.filter { conformanceCase in
            // What cannot apply is left out, but for what was named.
            selection.contains(conformanceCase)
                && (conformanceCase.applies(as: peer.role, to: peer.profile) || only.contains(conformanceCase.id))
        }
        if list {
            for conformanceCase in cases { output.report(ListedCase(conformanceCase: conformanceCase)) }
            return .done
        }
        let interruption = Interruption()
        let watch = interruption.watch(output)
        defer { withExtendedLifetime(watch) {} }
        let sodium = try Cryptography.start()
        let runner = ConformanceRunner(
            source: try await peer.source(output, showsPeer: verbose),
            cryptography: try TesterCryptography.make(sodium),
            profile: peer.profile, codes: peer.codes, patience: timeout)
        var results: [CaseResult] = []
        for conformanceCase in cases where interruption.status == nil {
            let result = await runner.play(conformanceCase)
            results.append(result)
            output.report(PlayedCase(result: result, showsTrace: verbose))
        }
        let report = ConformanceReport(results: results)
        if let json { try Self.write(ConformanceJSON.text(report, peer), to: json) }
        if let junit { try Self.write(report.junit, to: junit) }
        output.report(ReportSummary(report: report))
        return interruption.status ?? (report.isPassed ? .done : .protocolFailure)
    }

    private static func write(_ text: String, to path: String) throws(CommandFailure) {
        do {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw CommandFailure(
                "output", "\(SafeText.escape(path)) cannot be written", remedy: "Give another file", .output)
        }
    }
}
