import MultipeerWire
import Testing

@Suite("Manifests of folders, SPEC §15.8")
struct FolderManifestTests {
    static func member(_ path: String, type: UInt8 = 0, size: UInt64 = 0) -> [UInt8] {
        [type] + varint(size) + [0] + vector(Array(path.utf8))
    }

    /// The members' paths, or why the manifest of an offer of `size` bytes beyond it is refused.
    static func read(_ bytes: [UInt8], size: UInt64 = 0) -> Result<[String], WireError> {
        do throws(WireError) {
            let manifest = try FolderManifest(encoded: bytes.span, offerSize: UInt64(bytes.count) + size)
            if manifest.encoded != bytes { return .success(["written otherwise"]) }
            return .success(manifest.members.map { String(decoding: $0.path, as: UTF8.self) })
        } catch {
            return .failure(error)
        }
    }

    static func isRefused(_ bytes: [UInt8], size: UInt64 = 0) -> Bool {
        if case .failure = read(bytes, size: size) { true } else { false }
    }

    @Test("An empty folder, folders and files, in any allowed depth")
    func sound() {
        #expect(Self.read([]) == .success([]))
        let paths = ["a", "b", "b/c", "b/c/d", "b0", "é"]
        let bytes = paths.flatMap { Self.member($0, type: $0.contains("d") || $0.count == 1 && $0 != "b" ? 1 : 2) }
        #expect(Self.read(bytes) == .success(paths))
        let deep = Array(repeating: "x", count: 32).joined(separator: "/")
        #expect(Self.read(Self.member(deep)) == .success([deep]))
        let long = String(repeating: "y", count: 255)
        #expect(Self.read(Self.member(long)) == .success([long]))
    }

    @Test("Sizes add up to the offer's; one more or less is refused")
    func sizes() {
        let bytes = Self.member("a", size: 5) + Self.member("b", size: 1 << 40)
        #expect(!Self.isRefused(bytes, size: 5 + (1 << 40)))
        #expect(Self.isRefused(bytes, size: 4 + (1 << 40)) && Self.isRefused(bytes, size: 6 + (1 << 40)))
        // Sizes whose sum does not fit 64 bits.
        let huge = (0..<9).flatMap { Self.member("\($0)", size: VarInt.maximum) }
        #expect(Self.isRefused(huge, size: VarInt.maximum))
    }

    @Test("Forbidden paths")
    func paths() {
        let tooDeep = Array(repeating: "x", count: 33).joined(separator: "/")
        let longPart = String(repeating: "y", count: 256)
        for path in ["/a", "a/", "a//b", ".", "..", "a/..", "./a", "a/./b", tooDeep, longPart] {
            #expect(Self.isRefused(Self.member(path)), "\(path.prefix(9))")
        }
        #expect(Self.isRefused([0, 0, 0] + vector([0xFF])) && Self.isRefused([0, 0, 0, 0]))
        #expect(Self.isRefused([3] + Self.member("a").dropFirst()), "an unknown type")
        #expect(Self.isRefused(Self.member("a", type: 2, size: 1), size: 1), "a folder with a size")
        let bytes = Self.member("a/b", size: 3)
        for count in 1..<bytes.count { #expect(Self.isRefused(Array(bytes[..<count]), size: 3)) }
        let parts = (0..<5).map { "\($0)" + String(repeating: "z", count: 204) }
        #expect(!Self.isRefused(Self.member(parts.joined(separator: "/").prefix(1_024).description)))
        #expect(Self.isRefused(Self.member(parts.joined(separator: "/") + "z")))
    }

    @Test("Paths ascend, and none is below a file, near or far")
    func order() {
        #expect(
            Self.isRefused(Self.member("b") + Self.member("a")) && Self.isRefused(Self.member("a") + Self.member("a")))
        #expect(Self.isRefused(Self.member("a") + Self.member("a/b")))
        #expect(Self.isRefused(Self.member("a") + Self.member("a!") + Self.member("a/b")))
        #expect(Self.isRefused(Self.member("a") + Self.member("a!") + Self.member("a!b") + Self.member("a/b/c")))
        #expect(!Self.isRefused(Self.member("a", type: 2) + Self.member("a!") + Self.member("a/b")))
        #expect(!Self.isRefused(Self.member("a!") + Self.member("a/b")))
        #expect(!Self.isRefused(Self.member("a/b") + Self.member("a0")))
        #expect(Self.isRefused(Self.member("a/b") + Self.member("a/b/c")))
    }

    @Test("65,536 folders, counted where a path enters them anew, and one more")
    func folders() {
        // 31 folders and a file in each path: 2,114 of them make 65,534 folders.
        func manifest(_ extra: [String]) -> [UInt8] {
            let deep = Array(repeating: "d", count: 30).joined(separator: "/")
            return (0..<2_114).flatMap { Self.member("\($0 + 1_000)/\(deep)/f") } + extra.flatMap { Self.member($0) }
        }
        #expect(!Self.isRefused(manifest(["x/y/a", "x/y/b", "x/y/c"])))
        #expect(Self.isRefused(manifest(["x/y/a", "x/z/c"])))
        #expect(Self.isRefused(manifest(["x/y/z/a"])))
        // A folder that is named before does not count again as part of the paths below it.
        let named = Self.member("x", type: 2) + Self.member("x/y/a") + Self.member("x/z", type: 2)
        #expect(!Self.isRefused(manifest([]) + named))
    }

    @Test("65,536 members, and one more")
    func count() {
        func manifest(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { Self.member(String($0 + 100_000)) }
        }
        #expect(!Self.isRefused(manifest(65_536)))
        #expect(Self.isRefused(manifest(65_537)))
    }
}
