internal import ArgumentParser
internal import Foundation
internal import MultipeerVectors

/// `multipeer-lab vectors run`
struct VectorsRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run vectors against any implementation, through a shim (Vectors/SHIM.md).",
        usage: "multipeer-lab vectors run [<path>] --shim <command> [<options>]",
        discussion: """
            A shim that does not answer in time is a HANG, one that ends or writes nonsense a FAULT; it is started anew, \
            and the run continues. The last line is «N passed, N failed, N skipped».

            Examples:
              multipeer-lab vectors run Vectors/v1 --shim "python3 my-shim.py"
            """)

    @Argument(help: "A file or a folder of vectors.")
    var path = "Vectors/v1"

    @Option(name: .long, help: ArgumentHelp("The shim, as a command for sh.", valueName: "COMMAND"))
    var shim: String

    @Option(name: .long, help: ArgumentHelp("Cases that are known to fail, with reasons.", valueName: "FILE"))
    var exceptions: String?

    @Option(name: .long, help: ArgumentHelp("How long an answer may take.", valueName: "SECONDS"))
    var timeout = 10.0

    @Option(name: .long, help: ArgumentHelp("Run only cases whose ID begins with this.", valueName: "ID"))
    var filter = ""

    @OptionGroup var reports: VectorsReports

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout must be more than 0 seconds") }
    }

    func run() throws {
        let (set, known) = try VectorsFailure.reading {
            () throws(VectorFileError) in (try VectorSet.read(path: path), try readExceptions())
        }
        let subject = ShimSubject(command: shim, timeout: timeout)
        defer { subject.end() }
        try reports.write(try VectorRunner(subject, exceptions: known).run(set, filter: filter))
    }

    private func readExceptions() throws(VectorFileError) -> Exceptions {
        guard let exceptions else { return Exceptions([]) }
        guard let data = FileManager.default.contents(atPath: exceptions) else {
            throw VectorFileError(file: exceptions, reason: .unreadable)
        }
        return try Exceptions(text: [UInt8](data), file: exceptions)
    }
}
