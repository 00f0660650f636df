internal import ArgumentParser
internal import MultipeerVectors

/// `multipeer-lab vectors verify`
struct VectorsVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify this implementation with vectors.",
        usage: "multipeer-lab vectors verify [<path>] [<options>]",
        discussion: """
            The last line is «N passed, N failed, N skipped». The status is 1 if a case fails or a file is invalid.

            Examples:
              multipeer-lab vectors verify Vectors/v1
              multipeer-lab vectors verify --filter 9.4
            """)

    @Argument(help: "A file or a folder of vectors.")
    var path = "Vectors/v1"

    @Option(name: .long, help: ArgumentHelp("Verify only cases whose ID begins with this.", valueName: "ID"))
    var filter = ""

    @OptionGroup var reports: VectorsReports

    func run() throws {
        let set = try VectorsFailure.reading { () throws(VectorFileError) in try VectorSet.read(path: path) }
        let report = try VectorRunner(SwiftSubject()).run(set, filter: filter)
        try reports.write(report)
    }
}
