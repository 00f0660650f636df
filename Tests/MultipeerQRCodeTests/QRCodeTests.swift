import Foundation
import MultipeerQRCode
import Testing

/// What a terminal shows of lines as `QRCode` draws them: one pixel a square, true where it is dark. It knows the escape sequences
/// and characters that are used here, and fails at any other.
private struct Screen {
    private(set) var rows: [[Bool]] = []

    init(_ lines: [String], _ drawing: QRCode.Drawing) throws {
        for line in lines {
            switch drawing {
            case .ascii:
                let characters = Array(line)
                rows.append(
                    try stride(from: 0, to: characters.count, by: 2).map { index in
                        try #require(characters[index] == characters[index + 1] && "# ".contains(characters[index]))
                        return characters[index] == " "
                    })
            case .colours:
                try #require(line.hasPrefix("\u{1B}[30;107m") && line.hasSuffix("\u{1B}[0m"))
                try add(line.dropFirst(9).dropLast(4), drawnIsDark: true)
            case .blocks: try add(line[...], drawnIsDark: false)
            }
        }
    }

    private mutating func add(_ line: Substring, drawnIsDark: Bool) throws {
        let pairs: [Character: (Bool, Bool)] = [
            " ": (false, false), "\u{2588}": (true, true), "\u{2580}": (true, false), "\u{2584}": (false, true),
        ]
        let drawn = try line.map { try #require(pairs[$0]) }
        rows.append(drawn.map { $0.0 == drawnIsDark })
        rows.append(drawn.map { $0.1 == drawnIsDark })
    }

    /// A picture in the format PBM, with 4 pixels for each.
    var picture: String {
        let big = rows.flatMap { row in
            let line = row.flatMap { [Bool](repeating: $0, count: 4) }
            return [[Bool]](repeating: line, count: 4)
        }
        let pixels = big.map { $0.map { $0 ? "1" : "0" }.joined(separator: " ") }.joined(separator: "\n")
        return "P1\n\(big[0].count) \(big.count)\n\(pixels)\n"
    }
}

/// The text that `zbarimg`, a foreign program, reads in a picture.
private func read(_ picture: String) throws -> String {
    let path = NSTemporaryDirectory() + "multipeer-\(UUID().uuidString).pbm"
    try picture.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["zbarimg", "--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", path]
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}

@Suite("QR codes")
struct QRCodeTests {
    static let texts = [
        "multipeer:" + String(repeating: "0a", count: 32) + "?at=desk.local:4711&code=4-tulip-orbit",
        "MULTIPEER:" + String(repeating: "0A", count: 32) + "?at=desk.local:4711&code=4-tulip-orbit",
        "x", String(repeating: "multipeer ", count: 60),
    ]

    @Test("zbarimg reads the code that a terminal shows", arguments: texts, [QRCode.Drawing.colours, .blocks, .ascii])
    func shown(text: String, drawing: QRCode.Drawing) throws {
        let code = try #require(QRCode(text))
        let lines = code.lines(drawing)
        let screen = try Screen(lines, drawing)
        #expect(screen.rows.allSatisfy { $0.count == code.width + 8 })
        #expect(code.columns(drawing) == (drawing == .ascii ? 2 : 1) * (code.width + 8))
        #expect(try read(screen.picture) == text + "\n")
    }

    @Test(
        "zbarimg reads a small margin and little correction too, and rows match their description",
        arguments: [1, 2])
    func small(margin: Int) throws {
        for text in Self.texts {
            let code = try #require(QRCode(text, correction: .low))
            let lines = code.lines(.colours, margin: margin)
            #expect(lines.count == code.rows(.colours, margin: margin))
            let usual = try #require(QRCode(text))
            #expect(code.width <= usual.width)
            #expect(try read(Screen(lines, .colours).picture) == text + "\n")
        }
    }

    @Test("Empty text has no code, and too long text has none")
    func bounds() {
        #expect(QRCode("") == nil)
        #expect(QRCode("a\0b") == nil)
        #expect(QRCode(String(repeating: "a", count: 2_331)) != nil)
        #expect(QRCode(String(repeating: "a", count: 2_332)) == nil)
    }
}
