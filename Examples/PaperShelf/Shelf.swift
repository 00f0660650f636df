import Foundation

/// The PDF files of a folder.
struct Shelf {
    enum Fault: LocalizedError {
        case notPDF(String)

        var errorDescription: String? {
            switch self {
            case .notPDF(let name): "\(name) is not a PDF file"
            }
        }
    }

    let folder: URL

    var files: [URL] {
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return all.filter { $0.pathExtension.lowercased() == "pdf" }.sorted { $0.path < $1.path }
    }

    /// Puts a received file on the shelf, and returns where. Nothing is overwritten. The name is a stranger's, and no path.
    func add(_ file: URL, named name: String) throws -> URL {
        let name = URL(fileURLWithPath: name).lastPathComponent
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        guard name.lowercased().hasSuffix(".pdf"), !name.hasPrefix("."),
            try handle.read(upToCount: 5) == Data("%PDF-".utf8)
        else { throw Fault.notPDF(name) }
        var place = folder.appendingPathComponent(name)
        var number = 1
        while FileManager.default.fileExists(atPath: place.path) {
            number += 1
            let stem = (name as NSString).deletingPathExtension
            place = folder.appendingPathComponent("\(stem) \(number).pdf")
        }
        try FileManager.default.moveItem(at: file, to: place)
        return place
    }
}
