internal import ArgumentParser

/// `multipeer-lab vectors` generates and verifies test vectors, and runs them against any implementation.
struct VectorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Generate, verify and run the test vectors of the protocol.",
        discussion: """
            Examples:
              multipeer-lab vectors verify Vectors/v1
              multipeer-lab vectors run Vectors/v1 --shim "python3 my-shim.py"
            """,
        subcommands: [
            VectorsGenerate.self, VectorsVerify.self, VectorsRun.self, VectorsFuzz.self, VectorsShim.self,
        ])
}
