package import MultipeerCore
package import MultipeerTerminal
import MultipeerWire

/// The text that `--trace` prints for a record: direction, kind, counter, length, and every frame with its fields.
///
/// A trace entry holds the record, sealed and opened. It has no keys, so none can be shown.
package enum TraceText {
    package static func lines(_ entry: TraceEntry, link: String, _ palette: Palette) -> String {
        let arrow = entry.direction == .sent ? palette.green("→ sent") : palette.yellow("← received")
        let title = palette.bold(entry.kind.name)
        let head: String
        let body: String
        switch entry.kind {
        case .hello, .refusal:
            head = "\(title), \(entry.wire.count) bytes with the magic, in the clear"
            body = clear(entry)
        case .encrypted, .authenticated:
            let protection = entry.kind == .encrypted ? "sealed" : "readable, authenticated"
            let counter = entry.counter.map { " #\($0)" } ?? ""
            head = "\(title)\(counter), \(entry.wire.count) bytes, \(protection)"
            body = frames(entry.plaintext)
        }
        return "\(link)\(arrow) \(head)\(body)"
    }

    private static func clear(_ entry: TraceEntry) -> String {
        do throws(WireError) {
            // A record in the clear is the initiator's or the responder's, and its form shows which.
            let (_, fields) = try ClearDescription.describe(entry.kind, body: entry.plaintext.span, from: nil)
            return fields.map { "\n      \($0.name): \($0.value.text)" }.joined()
        } catch {
            return "\n      does not decode: \(error.words)"
        }
    }

    private static func frames(_ plaintext: [UInt8]) -> String {
        var text = ""
        var cursor = FrameCursor(plaintext.span)
        do throws(WireError) {
            while let frame = try cursor.next() {
                let description = try FrameDescription(frame)
                text += "\n    \(description.name) \(Hex.number(description.type)), \(description.length) bytes"
                text += description.fields.map { "\n      \($0.name): \($0.value.text)" }.joined()
            }
        } catch {
            text += "\n    does not decode: \(error.words)"
        }
        return text
    }
}
