import MultipeerCommandLine
import MultipeerTerminal
import MultipeerWire

/// An item that was found in the bytes.
enum DecodedItem: Sendable {
    case magic
    case clear(offset: Int, RecordHeader, sender: ClearDescription.Sender, [DescribedField])
    /// A record that is sealed, or readable and not verified, because the decoder has no key.
    case protected(offset: Int, RecordHeader, counter: UInt64)
    case frame(offset: Int, FrameDescription, isIndented: Bool)
    case fault(DecodeFault)
}

/// The place where the bytes break the protocol, and the reason.
struct DecodeFault: Error, Equatable, Sendable {
    /// The offset in the decoded bytes.
    let offset: Int
    let reason: String
    /// The error of SPEC §18 that a peer would report, or nil if the input just ends.
    let code: String?
}

extension DecodedItem: Report {
    var members: [(String, JSON)] {
        switch self {
        case .magic: [("event", .string("magic")), ("offset", .integer(0))]
        case .clear(let offset, let header, let sender, let fields):
            record(offset, header) + [("sender", .string(sender.rawValue)), ("fields", fields.json)]
        case .protected(let offset, let header, let counter):
            record(offset, header) + [("counter", .integer(counter)), ("verified", .boolean(false))]
        case .frame(let offset, let frame, _):
            [
                ("event", .string("frame")), ("offset", .integer(UInt64(offset))), ("frame", .string(frame.name)),
                ("type", .string(Hex.number(frame.type))), ("length", .integer(UInt64(frame.length))),
                ("fields", frame.fields.json),
            ]
        case .fault(let fault):
            [
                ("event", .string("fault")), ("offset", .integer(UInt64(fault.offset))),
                ("reason", .string(fault.reason)), ("code", fault.code.map(JSON.string) ?? .null),
            ]
        }
    }

    private func record(_ offset: Int, _ header: RecordHeader) -> [(String, JSON)] {
        [
            ("event", .string("record")), ("offset", .integer(UInt64(offset))), ("record", .string(header.kind.name)),
            ("length", .integer(UInt64(header.bodyLength))),
        ]
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .magic: line(0, palette.bold("magic"), "MPEER", palette)
        case .clear(let offset, let header, let sender, let fields):
            line(offset, palette.bold(header.kind.name), "from \(sender), \(header.bodyLength) bytes", palette)
                + fields.map { "\n            \($0.name): \($0.value.text)" }.joined()
        case .protected(let offset, let header, let counter):
            line(
                offset, palette.bold(header.kind.name),
                "#\(counter), \(header.bodyLength) bytes, \(Self.note(header.kind))", palette)
        case .frame(let offset, let frame, let isIndented):
            line(
                offset, (isIndented ? "  " : "") + "\(frame.name) \(Hex.number(frame.type))",
                "\(frame.length) bytes" + (frame.fields.isEmpty ? "" : ": " + frame.fields.text), palette)
        case .fault(let fault):
            line(
                fault.offset, palette.red("stop"), fault.reason + (fault.code.map { " (\($0))" } ?? ""), palette)
        }
    }

    private static func note(_ kind: RecordKind) -> String {
        kind == .authenticated ? "readable, not verified here" : "sealed"
    }

    private func line(_ offset: Int, _ title: String, _ rest: String, _ palette: Palette) -> String {
        let digits = String(offset)
        let padding = String(repeating: " ", count: max(0, 8 - digits.count))
        return palette.dim(padding + digits) + "  \(title)  \(rest)"
    }
}
