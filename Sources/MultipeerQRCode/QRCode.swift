internal import CQRencode

/// A text as a QR code (ISO/IEC 18004) of dark and light squares, made by libqrencode.
public struct QRCode: Sendable {
    /// How many squares are in each row and column, without the margin.
    public let width: Int
    private let dark: [Bool]

    /// How much of a code may be damaged. A screen damages nothing, so that a smaller code may be the better one there.
    public enum Correction: Sendable {
        /// About 7 in 100 squares (level L).
        case low
        /// About 15 in 100 squares (level M).
        case medium

        fileprivate var level: QRecLevel {
            switch self {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            }
        }
    }

    /// Encodes a text. Parts in capital letters and digits take three quarters of the room. Nil for more than 2,331 bytes, with a zero byte,
    /// and without memory.
    public init?(_ text: String, correction: Correction = .medium) {
        guard (1...2_331).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        // SAFETY: the C string lives for the call. The result is nil, or a code with width² bytes at `data`, which is
        // freed below.
        guard let code = unsafe QRcode_encodeString(text, 0, correction.level, QR_MODE_8, 1) else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        self.width = width
        // The lowest bit says whether a square is dark; the others say what it is there for.
        let squares = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        dark = unsafe squares.map { $0 & 1 == 1 }
    }

    /// Whether the square is dark. Outside of the code, where the margin is, all are light.
    public func isDark(row: Int, column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && dark[row * width + column]
    }
}
