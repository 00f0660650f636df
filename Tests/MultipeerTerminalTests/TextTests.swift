import Testing

@testable import MultipeerTerminal

@Suite("Text on a terminal")
struct TextTests {
    @Test("A bar fits its terminal, and the narrowest one shows the progress", arguments: 1...200)
    func bar(columns: Int) {
        for (done, name) in [
            (0, "a"), (1, String(repeating: "x", count: 300)), (100, "日本語のとても長い名前です"), (50, "\u{1B}[2J"),
        ] {
            var progress = ProgressBar(verb: "receiving", name: name, done: UInt64(done), size: 100)
            for rate in [nil, 2_621_440.0] {
                (progress.bytesPerSecond, progress.timeLeft) = (rate, .seconds(3_725.9))
                let line = progress.line(columns: columns)
                #expect(DisplayWidth.columns(of: line) <= columns)
                #expect(!line.contains("\u{1B}"))
                if columns >= 5 { #expect(line.contains("\(done) %")) }
                if columns >= 50 { #expect(line.contains("\(done) % of 100 B") && line.contains("receiving")) }
                if columns >= 70, rate != nil {
                    #expect(line.hasSuffix(", 2560 KiB/s" + (done < 100 ? ", 1:02:05 left" : "")))
                }
                if columns >= 80 { #expect(line.contains("[") && line.contains("]")) }
            }
        }
    }

    @Test("An empty transfer is complete, and progress never exceeds 100 %")
    func percent() {
        var stalled = ProgressBar(
            verb: "sending", name: "e", done: 1, size: 4, bytesPerSecond: 70_000_000, timeLeft: .seconds(9),
            stalledFor: .milliseconds(8_900))
        #expect(stalled.line(columns: 100).hasSuffix(" 25 % of 4 B, stalled for 8 s"))
        #expect(stalled.line(columns: 50).hasSuffix(" 25 %, stalled for 8 s"))
        #expect(stalled.line(columns: 20).hasSuffix(" 25 %"))
        stalled.stalledFor = .seconds(65)
        #expect(stalled.line(columns: 100).hasSuffix(", stalled for 1:05"))
        #expect(ProgressBar(verb: "sending", name: "e", done: 0, size: 0).percent == 100)
        #expect(ProgressBar(verb: "sending", name: "e", done: 9, size: 3).percent == 100)
        #expect(ProgressBar(verb: "sending", name: "e", done: 1, size: .max).percent == 0)
    }

    @Test("Widths of characters, and where a text is cut")
    func widths() {
        for (text, columns) in [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🎈", 2), ("한", 2), ("ｱ", 1), ("", 0),
        ] {
            #expect(DisplayWidth.columns(of: text) == columns, "\(text)")
        }
        #expect(DisplayWidth.cut("日本語", to: 6) == "日本語")
        #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
        #expect(DisplayWidth.cut("abc", to: 1) == "…" && DisplayWidth.cut("abc", to: 0) == "")
        #expect(DisplayWidth.padded("日本", to: 6) == "日本  ")
        #expect(DisplayWidth.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    }

    @Test("A table is as wide as its cells, and no column takes all")
    func table() {
        var table = Table(["NAME", "KEY", "INFO"], widest: 6)
        table.add([("Anna", .bold), ("0123", .plain), ("a=b c=d", .dim)])
        table.add([("Bartholomew", .bold), ("45", .plain), ("", .dim)])
        let lines = table.lines.map { $0.text(columns: 80, Palette(isEnabled: false)) }
        #expect(lines == ["NAME    KEY   INFO", "Anna    0123  a=b c=d", "Barth…  45    "])
        #expect(table.lines[1].text(columns: 10, Palette(isEnabled: false)) == "Anna    0…")
    }

    @Test("Styles end where they should, and are absent without colours")
    func styles() {
        var line = StyledLine("a", .bold)
        line.add("b", .red)
        line.add("c")
        #expect(line.text(columns: 9, Palette(isEnabled: true)) == "\u{1B}[1ma\u{1B}[0m\u{1B}[31mb\u{1B}[0mc")
        #expect(line.text(columns: 9, Palette(isEnabled: false)) == "abc")
    }

    @Test("Numbers of bytes have one to four digits and a unit")
    func bytes() {
        for (count, text) in [
            (0, "0 B"), (10_239, "10239 B"), (10_240, "10 KiB"), (10_485_760, "10 MiB"), (1 << 60, "1048576 TiB"),
        ] as [(UInt64, String)] {
            #expect(ByteCount.text(count) == text)
        }
    }
}
