internal import ArgumentParser
internal import MultipeerVectors

/// `multipeer vectors verify`
struct VectorsVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify this implementation against vectors.",
        discussion:
            "The last line is «N passed, N failed, N skipped». Ends with 1 when a case fails or a file is no good.")

    @Argument(help: "A file or a folder of vectors.")
    var path = "Vectors/v1"

    @Option(name: .long, help: ArgumentHelp("Only cases whose ID begins so.", valueName: "ID"))
    var filter = ""

    @OptionGroup var reports: VectorsReports

    func run() throws {
        let set = try VectorsFailure.reading { () throws(VectorFileError) in try VectorSet.read(path: path) }
        let report = try VectorRunner(SwiftSubject()).run(set, filter: filter)
        try reports.write(report)
    }
}
