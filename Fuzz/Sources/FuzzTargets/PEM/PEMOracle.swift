import FuzzSupport
import MultipeerCertificates

/// Blocks against the model, and against our writer.
enum PEMOracle {
    static func decode(_ text: [UInt8]) throws {
        let model = ModelPEM(text)
        let blocks: [PEMBlock]
        do { blocks = try PEM.decode(text.span) } catch {
            switch error {
            case .malformedPEM(let line): return try requireEqual(line, model.fault, "the line that is wrong")
            case .tooManyBlocks: return try require(model.isOverCount, "too many blocks")
            default: throw OracleFailure("PEM is refused for \(error)")
            }
        }
        try requireEqual(model.fault, nil, "the line that is wrong, and was read")
        try require(!model.isOverCount && blocks.count <= PEM.maximumBlocks, "more blocks than allowed")
        try requireEqual(blocks, model.blocks.map(expected), "blocks")
        for block in blocks where block.label != .other { try check(block) }
    }

    /// Blocks are written with text between them, and read again.
    static func encode(_ choices: inout Choices) throws {
        let labels: [PEMLabel] = [.certificate, .privateKey, .rsaPrivateKey, .ecPrivateKey, .encryptedPrivateKey]
        var (blocks, text): ([PEMBlock], [UInt8]) = ([], [])
        for _ in 0..<choices.int(below: 9) {
            // What begins with a dash may be a boundary.
            text += choices.bytes(upTo: 40).map { $0 == UInt8(ascii: "-") ? 0x20 : $0 } + [0x0A]
            let block = PEMBlock(label: choices.pick(labels), bytes: choices.bytes(upTo: 255) + [choices.byte()])
            text += PEM.encode(block.label, block.bytes)
            blocks.append(block)
        }
        do {
            try requireEqual(try PEM.decode(text.span), blocks, "blocks, written and read")
        } catch let error as CertificateFileError {
            throw OracleFailure("PEM that was written cannot be read: \(error)")
        }
        try decode(text)
    }

    private static func check(_ block: PEMBlock) throws {
        let text = PEM.encode(block.label, block.bytes)
        let plain = PEMBlock(label: block.label, bytes: block.bytes)
        try requireEqual(try PEM.decode(text.span), [plain], "a block, written and read")
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        // RFC 7468 §2: every line but the last has exactly 64 characters, and none is empty.
        for line in lines.dropFirst().dropLast(3) { try requireEqual(line.count, 64, "the width of a line") }
        let last = lines.dropLast(2).last?.count ?? 0
        try require((1...64).contains(last), "a last line of \(last) characters")
    }

    private static func expected(_ block: ModelPEM.Block) -> PEMBlock {
        PEMBlock(label: label(block.label), bytes: block.bytes, hasEncryptionHeader: block.isEncrypted)
    }

    /// docs/formats.md, "Certificates and keys".
    private static func label(_ text: String) -> PEMLabel {
        switch text {
        case "CERTIFICATE", "X509 CERTIFICATE": .certificate
        case "PRIVATE KEY": .privateKey
        case "RSA PRIVATE KEY": .rsaPrivateKey
        case "EC PRIVATE KEY": .ecPrivateKey
        case "ENCRYPTED PRIVATE KEY": .encryptedPrivateKey
        default: .other
        }
    }
}
