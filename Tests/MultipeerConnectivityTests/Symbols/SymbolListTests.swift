import Testing

@Suite("Reading a list of symbols")
struct SymbolListTests {
    @Test("Members, labels, cases and constants are named")
    func names() {
        let list = SymbolList(
            markdown: """
                Text with `func nothing()` in it.
                ```swift
                class A: NSObject, B { init(one two: String); var c: [D]? {get}
                 weak var delegate: (any E)?   // func not()
                 var f, g {get}; func h(_ i: Data, j: (K)->Void, at: [L]) throws -> M
                 func n(o p: (((any Q)?)->Void)? = nil) -> R?
                 var x: Int }
                protocol S { optional func t(_:); optional func u(_:, v w: X) -> Bool }
                enum Y: Int { first=0, second=2 }
                struct Z: AA { enum Code: Int { unknown=0, other, last=6 } }
                let bb: String; let cc = 2, dd = 8
                ```
                """)
        #expect(
            list.names == [
                "A", "A.init(one:)", "A.c", "A.delegate", "A.f", "A.g", "A.h(_:j:at:)", "A.n(o:)", "A.x", "S",
                "S.t(_:)",
                "S.u(_:v:)", "Y", "Y.first=0", "Y.second=2", "Z", "Z.Code", "Z.Code.unknown=0", "Z.Code.other=1",
                "Z.Code.last=6", "bb", "cc=2", "dd=8",
            ])
    }
}
