internal import ArgumentParser
internal import MultipeerVectors

/// `multipeer vectors generate`
struct VectorsGenerate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make all vectors anew: the same bytes every time.")

    @Option(name: .customLong("out"), help: "The folder for the files.")
    var folder = "Vectors/v1"

    func run() throws {
        var total = 0
        for (name, tests) in try VectorGenerator().write(to: folder) {
            print("\(name): \(tests) tests")
            total += tests
        }
        print("\(total) tests")
    }
}
