internal import ArgumentParser
internal import MultipeerVectors

/// `multipeer-lab vectors generate`
struct VectorsGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate all vectors again. The files have the same bytes every time.",
        discussion: """
            Examples:
              multipeer-lab vectors generate --out Vectors/v1
            """)

    @Option(name: .customLong("out"), help: "The folder for the files.")
    var folder = "Vectors/v1"

    @Option(name: .long, help: ArgumentHelp("The certificates and signatures that were made once.", valueName: "FILE"))
    var material = "Vectors/material.json"

    func run() throws {
        let given = try VectorsFailure.reading { () throws(VectorFileError) in try Material(path: material) }
        var total = 0
        for (name, tests) in try VectorGenerator(material: given).write(to: folder) {
            print("\(name): \(tests) tests")
            total += tests
        }
        print("\(total) tests")
    }
}
