/// The textual encoding of certificates and keys (RFC 7468).
///
/// Text outside of blocks is explanatory and skipped (RFC 7468 §2), because certtool and `openssl x509 -text` write it.
/// Inside a block everything is strict: labels match, base64 is canonical, nothing is left over.
public enum PEM {
    /// The most blocks that a text may have.
    public static let maximumBlocks = 1024

    /// Reads all blocks, in order.
    /// - Throws: ``CertificateFileError/malformedPEM(line:)`` with the number of the line, counted from 1;
    ///   ``CertificateFileError/tooManyBlocks``.
    public static func decode(_ text: Span<UInt8>) throws(CertificateFileError) -> [PEMBlock] {
        var lines = PEMLines(text)
        var blocks: [PEMBlock] = []
        while let line = lines.next() {
            if let label = PEMLines.label(of: line, after: "-----BEGIN ") {
                guard blocks.count < maximumBlocks else { throw .tooManyBlocks }
                blocks.append(try block(labelled: label, from: &lines))
            } else if PEMLines.label(of: line, after: "-----END ") != nil {
                throw .malformedPEM(line: lines.number)
            }
        }
        return blocks
    }

    private static func block(
        labelled label: String, from lines: inout PEMLines
    ) throws(CertificateFileError) -> PEMBlock {
        var decoder = Base64Decoder(capacity: lines.decodedBound)
        var isEncrypted = false
        while let line = lines.next() {
            if let end = PEMLines.label(of: line, after: "-----END ") {
                guard end == label, let bytes = decoder.finish(), !bytes.isEmpty else { break }
                return PEMBlock(label: PEMLabel(text: label), bytes: bytes, hasEncryptionHeader: isEncrypted)
            }
            if PEMLines.isHeader(line) {
                // RFC 1421 headers come before the first base64 line.
                guard decoder.isEmpty else { break }
                isEncrypted = isEncrypted || PEMLines.isEncryptionHeader(line)
            } else {
                guard decoder.take(line) else { break }
            }
        }
        decoder.wipe()
        throw .malformedPEM(line: lines.number)
    }

    /// Writes one block, 64 characters a line, ending with a newline.
    public static func encode(_ label: PEMLabel, _ bytes: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN \(label.text)-----\n".utf8)
        text.append(contentsOf: Base64.encodeLines(bytes))
        text.append(contentsOf: "-----END \(label.text)-----\n".utf8)
        return text
    }

    /// Writes a chain, leaf first, one block a certificate.
    public static func encode(_ certificates: [Certificate]) -> [UInt8] {
        certificates.flatMap { encode(.certificate, $0.der) }
    }
}
