import MultipeerWire
import Testing

@Suite("Text, SPEC §4.2")
struct TextTests {
    /// Whether `bytes` are well-formed by table 3-7 of the Unicode Standard, written out.
    static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        let tail: ClosedRange<UInt8> = 0x80...0xBF
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let following: [ClosedRange<UInt8>]
            switch first {
            case 0x00...0x7F: following = []
            case 0xC2...0xDF: following = [tail]
            case 0xE0: following = [0xA0...0xBF, tail]
            case 0xE1...0xEC, 0xEE...0xEF: following = [tail, tail]
            case 0xED: following = [0x80...0x9F, tail]
            case 0xF0: following = [0x90...0xBF, tail, tail]
            case 0xF1...0xF3: following = [tail, tail, tail]
            case 0xF4: following = [0x80...0x8F, tail, tail]
            default: return false
            }
            for range in following {
                guard let next = rest.popFirst(), range.contains(next) else { return false }
            }
        }
        return true
    }

    /// The sequences of `candidates` on which MultipeerWire, the table and String do not agree.
    static func disagreements(_ candidates: some Sequence<[UInt8]>) -> [[UInt8]] {
        candidates.filter { bytes in
            let ours = Utf8.isWellFormed(bytes.span)
            return ours != isWellFormed(bytes) || ours != (String(validating: bytes, as: UTF8.self) != nil)
        }
    }

    /// Bytes at the edges of every range of table 3-7.
    static let edges: [UInt8] = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4,
        0xF5,
        0xFF,
    ]

    @Test("Every sequence of one or two bytes")
    func upToTwoBytes() {
        #expect(Self.disagreements([[]]).isEmpty)
        #expect(Self.disagreements((UInt8.min...UInt8.max).map { [$0] }).isEmpty)
        #expect(Self.disagreements((UInt16.min...UInt16.max).map(u16)).isEmpty)
    }

    @Test("Three bytes: every pair of first and second, with each edge as the third")
    func threeBytes() {
        for third in Self.edges {
            let candidates = (UInt16(0xE000)...0xF0FF).lazy.map { u16($0) + [third] }
            #expect(Self.disagreements(candidates).isEmpty)
        }
    }

    @Test("Four bytes: every pair of first and second, with edges after them")
    func fourBytes() {
        for (third, fourth) in [(0x80, 0x80), (0xBF, 0xBF), (0x7F, 0x80), (0x80, 0xC0), (0xC2, 0x80)]
            as [(UInt8, UInt8)]
        {
            let candidates = (UInt16(0xEF00)...0xFFFF).lazy.map { u16($0) + [third, fourth] }
            #expect(Self.disagreements(candidates).isEmpty)
        }
    }

    @Test("50,000 random mixtures of edges")
    func mixtures() {
        var random = SplitMix64(seed: 42)
        let candidates = (0..<50_000).map { _ in
            (0..<random.below(9)).map { _ in Self.edges[random.below(Self.edges.count)] }
        }
        #expect(Self.disagreements(candidates).isEmpty)
    }

    /// R4.2-1, written out.
    static let forbidden = Set<UInt32>(
        Array(0x00...0x1F) + [0x7F] + Array(0x80...0x9F)
            + [0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E]
            + [0x2066, 0x2067, 0x2068, 0x2069]
            + [0xAD, 0x61C, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF]
            + Array(0xE0000...0xE007F))

    static let blank: Set<UInt32> = [
        0x20, 0xA0, 0x115F, 0x1160, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
        0x2009,
        0x200A, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0,
    ]

    @Test("The forbidden code points are those of R4.2-1, of all 1,114,112")
    func forbiddenCodePoints() {
        #expect(Self.forbidden.count == 32 + 1 + 32 + 7 + 4 + 13 + 128)
        let wrong = (UInt32(0)...0x10FFFF).filter {
            Utf8.isForbidden($0) != Self.forbidden.contains($0) || Utf8.isBlank($0) != Self.blank.contains($0)
        }
        #expect(wrong.isEmpty)
    }

    @Test("They are found at every place in a name")
    func forbiddenInNames() {
        var wrong: [UInt32] = []
        let near =
            Array(0x00...0x900) + Array(0x1100...0x1180) + Array(0x2000...0x20FF) + [0x1680, 0x2800, 0x3000, 0x3164]
            + Array(0xFE00...0x1_0100) + Array(0xD_FFF0...0xE_0100) + [0x10_2028, 0x10_FFFF]
        for code in near.map(UInt32.init) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            for (before, after) in [("", ""), ("a", "b"), ("é", "漢"), ("😀", "😀")] {
                let name = Array("\(before)\(scalar)\(after)".utf8)
                let isName = Utf8.isName(name.span)
                let isRefused = refusal(PeerInfo.self, vector(name) + varint(1) + [0, 0]) != nil
                let expected = Self.forbidden.contains(code)
                let isBlank = before.isEmpty && Self.blank.contains(code)
                if isName == isRefused || isRefused != (expected || isBlank) { wrong.append(code) }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Searching for them in bytes that are not UTF-8 does not trap")
    func forbiddenInGarbage() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let bytes = random.bytes(random.below(12))
            // The answer means nothing here; a trap would end the test process.
            _ = Utf8.isName(bytes.span)
        }
    }

    @Test("Names of at most 63 bytes; none if a peer keeps its own", arguments: [0, 1, 62, 63, 64, 65])
    func nameLength(count: Int) {
        let name = [UInt8](repeating: 0x61, count: count)
        let error = refusal(PeerInfo.self, vector(name) + varint(1) + [0, 0])
        #expect(error == (count <= 63 ? nil : WireError(.lengthOutOfRange, in: .displayName)))
    }

    @Test("Ill-formed names name the reason")
    func illFormedNames() {
        for name: [UInt8] in [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0xF4, 0x90, 0x80, 0x80], [0x61, 0xE2, 0x82],
        ] {
            let error = refusal(PeerInfo.self, vector(name) + varint(1) + [0, 0])
            #expect(error == WireError(.illFormedText, in: .displayName))
            let offer = refusal(
                FileOffer.self, varint(0) + varint(0) + [UInt8](repeating: 0, count: 19) + vector(name) + [0])
            #expect(offer == WireError(.illFormedText, in: .fileName))
        }
    }
}
