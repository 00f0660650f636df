internal import ArgumentParser
internal import Foundation
internal import MultipeerCommandLine
internal import MultipeerVectors

/// Options for the files that get the results of a run, in addition to standard output.
struct VectorsReports: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Write the results as JUnit.", valueName: "FILE"))
    var junit: String?

    @Option(name: .long, help: ArgumentHelp("Write the results as JSON.", valueName: "FILE"))
    var json: String?

    /// Prints the report and writes the files. Throws if a case failed.
    func write(_ report: RunReport) throws {
        if let junit { try report.junit.write(toFile: junit, atomically: true, encoding: .utf8) }
        if let json { try JSONWriter.file(report.json).write(toFile: json, atomically: true, encoding: .utf8) }
        print(report.text, terminator: "")
        if report.failed > 0 { throw ExitCode.failure }
    }
}

/// Reports bad input on standard error, and ends with the summary line of every run.
enum VectorsFailure {
    static func reading<Value>(
        _ summary: String = "0 passed, 1 failed, 0 skipped", _ body: () throws(VectorFileError) -> Value
    ) throws -> Value {
        do throws(VectorFileError) {
            return try body()
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            print(summary)
            throw ExitCode.failure
        }
    }
}
