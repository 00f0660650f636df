import ArgumentParser
import MultipeerCommandLine
import MultipeerWire

/// `multipeer-lab decode`
struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode a captured stream, and print the records and frames that are readable.",
        usage: "multipeer-lab decode [<file>] [<options>]",
        discussion: """
            The input is one direction of a link from its first byte, or with --frames the plaintext of a record. \
            Without keys ENCRYPTED records stay sealed, and AUTHENTICATED ones are shown but not verified. \
            Ends with status 76 at the first byte that breaks the protocol, or when the input ends in the middle.

            Examples:
              multipeer-lab decode capture.bin
              echo '4d 50 45 45 52' | multipeer-lab decode --input hex
            """)

    @Argument(help: "The file to read, or - for standard input.", completion: .file())
    var file = "-"

    @Flag(help: "Decode the plaintext of a record: frames, without magic and record headers.")
    var frames = false

    @Option(help: "The form of the input: auto, hex or binary.")
    var input = InputForm.auto

    @Option(help: "The sender of the input: auto, initiator or responder.")
    var sender = SenderArgument.auto

    @OptionGroup var output: OutputOptions

    /// The longest input, in bytes. A capture of a large file should be cut before it is decoded.
    private static let maximumLength = 268_435_456

    mutating func run() async throws {
        let command = self
        try await output.run { output throws(CommandFailure) in
            try command.decode(to: output)
            return .done
        }
    }

    private func decode(to output: Output) throws(CommandFailure) {
        let raw: [UInt8]
        do throws(WholeInput.Failure) {
            raw = try WholeInput.read(file, maximumLength: Self.maximumLength)
        } catch {
            throw CommandFailure(reading: file, error)
        }
        do throws(DecodeFault) {
            let bytes = try input.bytes(of: raw, isStream: !frames)
            if frames {
                guard !bytes.isEmpty else {
                    throw DecodeFault(offset: 0, reason: "there are no frames", code: nil)
                }
                try FrameWalk(isReadableRecord: false, emit: output.report).walk(bytes.span, at: 0)
            } else {
                var decoder = StreamDecoder(sender: sender.value, emit: output.report)
                try decoder.decode(bytes)
            }
        } catch {
            if output.isJSON { output.report(DecodedItem.fault(error)) }
            throw CommandFailure(
                "decoding", "at offset \(error.offset): \(error.reason)" + (error.code.map { " (\($0))" } ?? ""),
                remedy: "Give one direction of a stream from its first byte, as hexadecimal text or as it is. "
                    + "For the plaintext of a record use --frames",
                .protocolFailure)
        }
    }
}

/// `--input`
enum InputForm: String, ExpressibleByArgument, CaseIterable {
    case auto, hex, binary

    /// Returns the bytes that the input `raw` represents.
    func bytes(of raw: [UInt8], isStream: Bool) throws(DecodeFault) -> [UInt8] {
        switch self {
        case .binary: return raw
        case .auto where raw.starts(with: Magic.bytes.prefix(5)) || !Self.isText(raw): return raw
        case .auto, .hex:
            do throws(HexText.Fault) {
                return try HexText.decode(raw)
            } catch {
                throw DecodeFault(offset: error.offset, reason: "in the text: \(error.reason)", code: nil)
            }
        }
    }

    /// Returns whether all bytes belong to ASCII text. Anything else is a raw capture.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}

/// `--sender`
enum SenderArgument: String, ExpressibleByArgument, CaseIterable {
    case auto, initiator, responder

    var value: ClearDescription.Sender? {
        switch self {
        case .auto: nil
        case .initiator: .initiator
        case .responder: .responder
        }
    }
}
