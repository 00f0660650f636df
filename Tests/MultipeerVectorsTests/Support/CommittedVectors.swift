import Foundation
import MultipeerTestSupport
import MultipeerVectors

extension Repository {
    /// All committed vectors; read once, because they have many megabytes.
    private static let read = Result { try VectorSet.read(path: path("Vectors/v1")) }

    static func vectors() throws -> VectorSet { try read.get() }

    /// One committed file.
    static func file(_ name: String) throws -> VectorFile {
        try VectorFile(text: try Scratch.read(path("Vectors/v1/" + name)), file: name)
    }
}
