internal import CQRencode

/// A text as a QR code (ISO/IEC 18004) of dark and light squares, made by libqrencode.
public struct QRCode: Sendable {
    /// How many squares stand in each row and column, without the margin.
    public let width: Int
    private let dark: [Bool]

    /// Encodes a text. About 15 in 100 squares may be damaged (level M). Nil for more than 2,331 bytes, and without memory.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...2_331).contains(bytes.count) else { return nil }
        // SAFETY: reads `count` bytes. The result is nil, or a code with width² bytes behind `data`, which is freed below.
        guard
            let code = unsafe bytes.withUnsafeBufferPointer({ buffer in
                unsafe QRcode_encodeData(Int32(buffer.count), buffer.baseAddress, 0, QR_ECLEVEL_M)
            })
        else { return nil }
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
