internal import ArgumentParser
internal import Foundation
internal import MultipeerVectors

/// `multipeer-lab vectors shim`
struct VectorsShim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shim",
        abstract: "Answer a runner of vectors, as this implementation's own shim (Vectors/SHIM.md).",
        discussion: """
            Examples:
              multipeer-lab vectors run Vectors/v1 --shim "multipeer-lab vectors shim"
            """)

    func run() throws {
        let server = try ShimServer()
        while let line = readLine(strippingNewline: true) {
            guard let answer = server.answer(line) else { return }
            FileHandle.standardOutput.write(Data((answer + "\n").utf8))
        }
    }
}
