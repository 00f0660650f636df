import Multipeer
import MultipeerCrypto
import MultipeerNIO
import MultipeerQRCode
import MultipeerTerminal

/// The QR code of a link, drawn so that it fits into a terminal with the lines around it.
struct CodePicture {
    /// The lines of the code, and that of the cursor.
    private static let otherRows = 2

    let size: TerminalSize
    /// What the terminal can draw; nil if two rows in one line cannot be, which is too large for most terminals.
    let drawing: QRCode.Drawing?

    /// What fits into this terminal.
    init(size: TerminalSize, locale: TextLocale, hasColours: Bool) {
        self.size = size
        drawing = locale.isUTF8 ? (hasColours ? .colours : .blocks) : nil
    }

    /// The lines; nil if the link does not fit in any way.
    func lines(of link: PeerLink) -> [String]? {
        let drawing = drawing ?? .ascii
        for link in Self.forms(of: link) {
            for correction in [QRCode.Correction.medium, .low] {
                guard let code = QRCode(link.textForQRCode, correction: correction) else { continue }
                for margin in [QRCode.usualMargin, 2, 1] where fits(code, drawing, margin) {
                    return code.lines(drawing, margin: margin)
                }
            }
        }
        return nil
    }

    private func fits(_ code: QRCode, _ drawing: QRCode.Drawing, _ margin: Int) -> Bool {
        code.columns(drawing, margin: margin) <= size.columns
            && code.rows(drawing, margin: margin) + Self.otherRows <= size.rows
    }

    /// The link as a whole, and then with less that a reader can do without: the name, which proves nothing, and all addresses but the
    /// shortest one.
    private static func forms(of link: PeerLink) -> [PeerLink] {
        let shortest = link.addresses.min { $0.description.count < $1.description.count }
        return [
            link, PeerLink(key: link.key, addresses: link.addresses, code: link.code),
            PeerLink(key: link.key, addresses: shortest.map { [$0] } ?? [], code: link.code),
        ]
    }
}

extension PeerLink {
    /// The text with a scheme and a key in capitals, which take less room in a QR code. Readers compare both without case (R25.9-1).
    fileprivate var textForQRCode: String {
        let text = description
        let end = text.firstIndex(of: "?") ?? text.endIndex
        return text[..<end].uppercased() + text[end...]
    }
}
