import Multipeer
import MultipeerStorage
package import MultipeerTransfers
package import MultipeerWire

/// The names of a file, or of what a folder holds, that are not the same at both peers (SPEC §15.5).
package struct Renaming: Sendable {
    /// How many a line names.
    private static let mostShown = 8

    /// How many there are.
    package let count: UInt64
    /// The first ones: as the sender says it, where the name of the whole is empty, and at the receiver.
    package let names: [(path: String, localPath: String)]

    /// What the local peer has heard from the receiver.
    package init(_ names: RenamedNames) {
        count = names.count
        self.names = names.names.map { name in
            (String(decoding: name.path, as: UTF8.self), String(decoding: name.localPath, as: UTF8.self))
        }
    }

    /// What the local peer has received; nil if nothing is called otherwise.
    package init?(_ stored: StoredFile, offeredAs name: String) {
        let whole = stored.localName.utf8.elementsEqual(name.utf8) ? [] : [("", stored.localName)]
        count = UInt64(stored.renamed.count + whole.count)
        names = whole + stored.renamed.named.map { ($0.path, $0.localPath) }
        if count == 0 { return nil }
    }

    /// For programs.
    package var members: [(String, JSON)] {
        let names = names.map { name in
            JSON.object([("path", .string(name.path)), ("localPath", .string(name.localPath))])
        }
        return [("count", .integer(count)), ("names", .array(names))]
    }

    /// For people: `3 names differ at Ben: Makefile is Makefile (2), …`.
    /// - Parameters:
    ///   - name: What was offered.
    ///   - place: Where the other names are.
    package func text(_ name: String, _ place: String) -> String {
        let shown = names.prefix(Self.mostShown).map { pair in
            "\(SafeText.escape(pair.path.isEmpty ? name : pair.path)) is \(SafeText.escape(pair.localPath))"
        }
        let head = (count == 1 ? "1 name differs " : "\(count) names differ ") + place
        guard !shown.isEmpty else { return head }
        let left = count - UInt64(shown.count)
        return head + ": " + shown.joined(separator: ", ") + (left > 0 ? ", and \(left) more" : "")
    }
}
