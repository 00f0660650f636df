internal import ArgumentParser

/// `multipeer vectors`: test vectors, made, verified, and run against anyone's implementation.
struct VectorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Make, verify and run the test vectors of the protocol.",
        subcommands: [
            VectorsGenerate.self, VectorsVerify.self, VectorsRun.self, VectorsFuzz.self, VectorsShim.self,
        ])
}
