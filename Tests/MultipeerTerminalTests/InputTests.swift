import Testing

@testable import MultipeerTerminal

@Suite("Typed input")
struct InputTests {
    private static func keys(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder()
        var keys = bytes.compactMap { decoder.take($0) }
        if decoder.isWaiting, let key = decoder.flush() { keys.append(key) }
        return keys
    }

    private static func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

    @Test("Keys of terminals")
    func table() {
        for (text, keys) in [
            ("a é🎈", [.character("a"), .character(" "), .character("é"), .character("🎈")]), ("\r\n", [.enter, .enter]),
            ("\u{7F}\u{8}", [.backspace, .backspace]),
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
            ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
            ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}OH\u{1B}OF", [.home, .end, .home, .end, .home, .end]),
            ("\u{1B}[3~", [.delete]), ("\u{1B}", [.escape]), ("\u{1B}[", [.other]), ("\u{1B}[1;5C", [.right]),
            ("\u{1B}[15~x", [.other, .character("x")]), ("\u{1B}xy", [.other, .character("y")]),
            ("\u{4}\u{15}\u{17}\u{1}\u{5}", [.endOfInput, .eraseLine, .eraseWord, .home, .end]),
            ("\u{0}\u{7}\t", [.other, .other, .character(" ")]),
        ] as [(String, [Key])] {
            #expect(Self.keys(text) == keys, "\(Array(text.utf8))")
        }
    }

    @Test("Meaningless bytes are harmless, and do not delay later ones")
    func noise() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 1...20)).map { _ in UInt8.random(in: 0...255, using: &random) }
            var decoder = KeyDecoder()
            var editor = LineEditor(limit: 16)
            for byte in noise {
                if let key = decoder.take(byte) { _ = editor.take(key) }
                #expect(String(editor.text).utf8.count <= 16 && (0...editor.text.count).contains(editor.cursor))
            }
            _ = decoder.flush()
            #expect(decoder.take(UInt8(ascii: "x")) == .character("x"))
        }
        #expect(Self.keys([0xFF, 0x41, 0xC3, 0x28, 0x42]).last == .character("B"))
    }

    @Test("Editing a line")
    func editing() {
        for (typed, line) in [
            ("hello\n", "hello"), ("helo\u{1B}[Dl\n", "hello"), ("hexllo\u{1}\u{1B}[C\u{1B}[C\u{1B}[3~\n", "hello"),
            ("one two  \u{17}three\n", "one three"), ("away\u{15}back\n", "back"), ("\u{7F}a\u{7F}\u{7F}b\n", "b"),
            ("né\u{7F}o\n", "no"), ("b\u{1}a\u{5}c\n", "abc"), ("e\u{301}x\u{7F}\u{7F}y\n", "y"), ("\n", ""),
            ("界\u{1B}[D\u{1B}[3~!\n", "!"), ("0123456789abcdefXYZ\n", "0123456789abcdef"), ("x\u{4}y\n", "xy"),
        ] {
            var editor = LineEditor(limit: 16)
            var last = LineEditor.Outcome.typing
            for key in Self.keys(typed) { last = editor.take(key) }
            #expect(last == .done(line), "\(typed.debugDescription)")
            #expect(editor.text.isEmpty && editor.cursor == 0)
            #expect(editor.take(.endOfInput) == .ended)
        }
    }
}

@Suite("Choosing from a list that changes")
struct PickerTests {
    private typealias Item = PickerItem<String>

    private static func items(_ names: String...) -> [Item] {
        names.map { Item(id: $0, line: StyledLine($0), words: $0) }
    }

    private static func type(_ text: String, _ state: inout PickerState<String>) -> PickerState<String>.Outcome {
        var last = PickerState<String>.Outcome.choosing
        for character in text { last = state.take(character == "\n" ? .enter : .character(character)) }
        return last
    }

    @Test("A number belongs to its item permanently")
    func numbers() {
        var state = PickerState<String>()
        state.set(Self.items("Anna", "Ben", "Cleo"))
        state.set(Self.items("Dora", "Cleo", "Ben"))
        #expect(state.items.map(\.id) == ["Ben", "Cleo", "Dora"])
        #expect(["Anna", "Ben", "Cleo", "Dora"].map { state.number(of: $0) } == [1, 2, 3, 4])
        #expect(Self.type("1\n", &state) == .unclear("1"))
        #expect(Self.type("4\n", &state) == .chosen("Dora"))
        state.set(Self.items("Anna"))
        _ = state.take(.escape)
        #expect(Self.type("1\n", &state) == .chosen("Anna"))
    }

    @Test("Typed text narrows the list, and text that only one item has chooses it")
    func filter() {
        var state = PickerState<String>()
        state.set(Self.items("Anna", "Andy", "Ben"))
        #expect(Self.type("an", &state) == .choosing && state.visible.map(\.id) == ["Anna", "Andy"])
        #expect(state.take(.enter) == .unclear("an"))
        #expect(state.visible.count == 3, "a meaningless line is cleared")
        #expect(Self.type("AND\n", &state) == .chosen("Andy"))
        var other = PickerState<String>()
        other.set(Self.items("Anna"))
        #expect(Self.type("\n", &other) == .choosing, "Enter alone chooses nobody")
        #expect(Self.type("x\n", &other) == .unclear("x"))
        #expect(other.take(.endOfInput) == .ended)
    }

    @Test("Digits mean a number of the list, and never part of an item's name")
    func digits() {
        var state = PickerState<String>()
        state.set(Self.items("Ben 96108197161d5813", "Desk 7"))
        for text in ["7\n", "9610\n", "02\n"] { #expect(Self.type(text, &state) == .unclear(String(text.dropLast()))) }
        #expect(state.resolve("7") == .unclear("7"))
        #expect(Self.type("2\n", &state) == .chosen("Desk 7"))
        var tagged = PickerState<String>()
        tagged.set(Self.items("Ben 96108197161d5813", "Desk 7"))
        #expect(
            Self.type("961d", &tagged) == .choosing && tagged.visible.isEmpty,
            "words are looked at from their beginnings")
        _ = tagged.take(.escape)
        #expect(Self.type("desk\n", &tagged) == .chosen("Desk 7"))
        var many = PickerState<String>()
        many.set((1...12).map { Item(id: "peer \($0)", line: StyledLine("peer \($0)"), words: "peer") })
        #expect(Self.type("1", &many) == .choosing && many.visible.count == 4)
        #expect(many.take(.enter) == .chosen("peer 1"), "a number that begins others is a number, too")
    }

    @Test("Enter chooses only an item that a key has selected, and not one that is no longer unique")
    func selection() {
        var state = PickerState<String>()
        #expect(Self.type("be\n", &state) == .unclear("be"))
        _ = Self.type("be", &state)
        state.set(Self.items("Ben"))
        #expect(state.selected == nil && state.take(.enter) == .choosing)
        #expect(state.selected == "Ben" && state.take(.enter) == .chosen("Ben"))
        state.set(Self.items("Ben", "Bea"))
        #expect(state.take(.enter) == .unclear("be") && state.selected == nil)
        _ = Self.type("2", &state)
        #expect(state.selected == "Bea")
        state.set(Self.items("Ben"))
        #expect(state.take(.enter) == .unclear("2"), "a missing item is not chosen")
    }

    @Test("Arrow keys move through the shown items, and the selection follows its item")
    func arrows() {
        var state = PickerState<String>()
        state.set(Self.items("Anna", "Ben", "Cleo"))
        #expect(state.selected == nil)
        for (key, selected) in [
            (.down, "Anna"), (.down, "Ben"), (.down, "Cleo"), (.down, "Cleo"), (.up, "Ben"), (.up, "Anna"),
            (.up, "Anna"),
        ] as [(Key, String)] {
            #expect(state.take(key) == .choosing && state.selected == selected)
        }
        _ = state.take(.down)
        state.set(Self.items("Zoe", "Ben"))
        #expect(state.selected == "Ben" && state.lines.focus == 0)
        #expect(state.take(.enter) == .chosen("Ben"))
        state.set(Self.items("Zoe"))
        #expect(state.selected == nil && state.take(.enter) == .choosing, "a missing item is not chosen")
        _ = state.take(.up)
        #expect(state.take(.enter) == .chosen("Zoe"))
        _ = state.take(.escape)
        #expect(state.selected == nil)
    }
}
