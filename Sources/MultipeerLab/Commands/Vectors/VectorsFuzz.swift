internal import ArgumentParser
internal import Foundation
internal import MultipeerCommandLine
internal import MultipeerVectors

/// `multipeer-lab vectors fuzz`
struct VectorsFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Ask this implementation and another one, through a shim, generated questions, and compare.",
        usage: "multipeer-lab vectors fuzz [<path>] --shim <command> [<options>]",
        discussion: """
            Questions are made from vectors by seeded changes (Vectors/SHIM.md, "Differential fuzzing"). Ends with 1 when \
            the answers differ or nothing could be compared. The last line is «N compared, N agreed, N different, N skipped».

            Examples:
              multipeer-lab vectors fuzz --shim "python3 my-shim.py" --seconds 60
            """)

    @Argument(help: "A file or a folder of vectors to start from.")
    var path = "Vectors/v1"

    @Option(name: .long, help: ArgumentHelp("The shim, as a command for sh.", valueName: "COMMAND"))
    var shim: String

    @Option(name: .long, help: "The number of cases.")
    var count: Int?

    @Option(name: .long, help: "How long to run, instead of a number of cases.")
    var seconds: Double?

    @Option(name: .long, help: "The seed. The same seed gives the same cases.")
    var seed: UInt64 = 1

    @Option(name: .long, help: ArgumentHelp("The number of the first case.", valueName: "NUMBER"))
    var first = 0

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp("Ask only questions of this group of Vectors/README.md. Repeatable.", valueName: "NAME"))
    var groups: [String] = []

    @Option(name: .long, help: ArgumentHelp("How long an answer may take.", valueName: "SECONDS"))
    var timeout = 10.0

    @Option(name: .long, help: ArgumentHelp("Write the results as JSON.", valueName: "FILE"))
    var json: String?

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout must be more than 0 seconds") }
        guard count == nil || seconds == nil else { throw ValidationError("give --count or --seconds, but not both") }
        guard (count ?? 1) > 0, (seconds ?? 1) > 0, first >= 0 else {
            throw ValidationError("--count and --seconds must be more than 0, and --first at least 0")
        }
        _ = try chosen()
    }

    /// Returns the chosen group types, or nil for all.
    private func chosen() throws -> Set<VectorGroupType>? {
        guard !groups.isEmpty else { return nil }
        return Set(
            try groups.map { name in
                guard let group = DifferentialSettings.allGroups.first(where: { $0.rawValue == name }) else {
                    let names = DifferentialSettings.allGroups.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("no group \(name); there are \(names)")
                }
                return group
            })
    }

    func run() throws {
        let set = try VectorsFailure.reading("0 compared, 0 agreed, 0 different, 0 skipped") {
            () throws(VectorFileError) in try VectorSet.read(path: path)
        }
        let other = ShimSubject(command: shim, timeout: timeout)
        defer { other.end() }
        let settings = DifferentialSettings(
            seed: seed, first: first, groups: try chosen(),
            limit: seconds.map { .time(.seconds($0)) } ?? .count(count ?? 10_000))
        let report = try DifferentialFuzzer(SwiftSubject(), and: other, seeds: set).run(settings) { finding in
            let text = "\(finding.group.rawValue), case \(finding.number): \(finding.kind)\n"
            FileHandle.standardError.write(Data(text.utf8))
        }
        if let json { try JSONWriter.file(report.json).write(toFile: json, atomically: true, encoding: .utf8) }
        print(report.text, terminator: "")
        if !report.isGood { throw ExitCode.failure }
    }
}
