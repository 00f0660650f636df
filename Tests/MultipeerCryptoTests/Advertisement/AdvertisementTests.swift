import MultipeerDefaults
import MultipeerSodium
import MultipeerTestSupport
import Testing

@testable import MultipeerCrypto

@Suite("Advertisements")
struct AdvertisementTests {
    static let tag = try! #require(KeyTag("00112233445566ff"))
    static let anna = try! DisplayName("Anna")

    private func strings(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("The tag is the beginning of a hash with a label of its own (SPEC §23.2)")
    func tag() throws {
        let key = try IdentityKey(rawBytes: Array(0..<32))
        let crypto = try CryptoProvider.standard()
        let expected = crypto.hashing.hash(Array("multipeer/1 advertisement".utf8).span, key.rawBytes.span)
        let tag = KeyTag(of: key, hashing: crypto.hashing)
        #expect(tag.rawBytes == Array(expected.rawBytes.prefix(8)))
        // By another implementation: printf 'multipeer/1 advertisement' | cat - KEY | sha256sum
        #expect(tag.description == "b05b25b4815c390d")
        #expect(KeyTag(tag.description) == tag)
    }

    @Test("The strings come in the order of SPEC §23.2 (R23.2-1)")
    func order() throws {
        let info = try DiscoveryInfo(["room": "4", "Level": "2"])
        let advertisement = Advertisement(of: Self.tag, named: Self.anna, info: info)
        #expect(
            advertisement.strings(as: "Anna") == strings(["_v=1", "_k=00112233445566ff", "Level=2", "room=4"]))
        #expect(
            advertisement.strings(as: "Anna (2)")
                == strings(["_v=1", "_k=00112233445566ff", "_n=Anna", "Level=2", "room=4"]))
    }

    @Test("A written advertisement is read again")
    func both() throws {
        let info = try DiscoveryInfo(["room": "4", "empty": "", "equation": "a=b=c", "ä": ""].filter { $0.key != "ä" })
        for name in ["Anna", "Anna (2)"] {
            let advertisement = Advertisement(of: Self.tag, named: Self.anna, info: info)
            #expect(Advertisement(reading: advertisement.strings(as: name), instanceName: name) == advertisement)
        }
        let hidden = Advertisement(privately: Self.tag, info: info)
        #expect(Advertisement(reading: hidden.strings(as: "00112233445566ff"), instanceName: "x") == hidden)
    }

    @Test("A private advertisement shows neither name nor key (R23.3-1)")
    func hidden() throws {
        let advertisement = Advertisement(privately: Self.tag)
        #expect(advertisement.isPrivate)
        #expect(advertisement.name == nil)
        #expect(advertisement.instanceName.text == "00112233445566ff")
        #expect(advertisement.strings(as: "00112233445566ff") == strings(["_v=1", "_r=00112233445566ff"]))
        // A name that somebody adds is not shown either.
        let named = Advertisement(
            reading: strings(["_v=1", "_r=00112233445566ff", "_n=Anna"]), instanceName: "Anna")
        #expect(try #require(named).name == nil)
    }

    @Test("Each private advertisement has a tag of its own (R23.3-2)")
    func fresh() throws {
        var random: any RandomSource = TestProvider.sodium.random
        let tags = Set((0..<100).map { _ in KeyTag(random: &random) })
        #expect(tags.count == 100)
    }

    @Test(
        "Data that is no advertisement is ignored (R23.2-3)",
        arguments: [
            [], ["_k=00112233445566ff"], ["_k=00112233445566ff", "_v=1"], ["_v=2", "_k=00112233445566ff"],
            ["_v=1"], ["_v=1", "_k=00112233445566f"], ["_v=1", "_k=00112233445566FF"],
            ["_v=1", "_k=0011223344556677ff"],
            ["_v=1", "_k=00112233445566fg"], ["_v=1", "_k"], ["_v=1", "_k=", "_r="], ["_V=1", "_k=00112233445566ff"],
            ["_v=1", "_k=00112233445566ff", "_r=00112233445566ff"], ["_v=1 ", "_k=00112233445566ff"],
            ["", "_v=1", "_k=00112233445566ff"], ["_v=1", "_\u{212A}=00112233445566ff"],
            ["_v=1", "_k=00112233445566ff", String(repeating: "x", count: 1_300)],
        ])
    func ignored(texts: [String]) {
        #expect(Advertisement(reading: strings(texts), instanceName: "Anna") == nil)
    }

    @Test("The longest advertisement that is read has 1,300 bytes (R23.2-3)")
    func longest() {
        let head = ["_v=1", "_k=00112233445566ff"]
        let rest = 1_300 - 5 - 20
        let fits = strings(head + [String(repeating: "x", count: rest - 1)])
        #expect(fits.reduce(0) { $0 + 1 + $1.count } == 1_300)
        #expect(Advertisement(reading: fits, instanceName: "Anna") != nil)
        #expect(Advertisement(reading: fits + strings([""]), instanceName: "Anna") == nil)
    }

    @Test("Unknown and malformed strings are tolerated (R23.2-4)")
    func patience() throws {
        let texts = strings([
            "_v=1", "_K=00112233445566ff", "room=4", "ROOM=5", "flag", "=nothing", "", "_later=1", "key\u{1}=x",
            "_n=Ben",
            "a=b=c",
        ])
        let broken: [UInt8] = Array("bad=".utf8) + [0xFF]
        let read = try #require(Advertisement(reading: texts + [broken], instanceName: "Anna"))
        #expect(read.tag == .key(Self.tag))
        #expect(read.name?.description == "Ben")
        #expect(read.info.pairs.map(\.key) == ["room", "flag", "a"])
        #expect(read.info["Room"] == "4")
        #expect(read.info["flag"] == "")
        #expect(read.info["a"] == "b=c")
        #expect(read.info["bad"] == nil)
    }

    @Test(
        "An invalid display name is absent (R23.2-5)",
        arguments: ["\u{1B}[31mred", "line\nline", "", String(repeating: "x", count: 64)])
    func badName(name: String) throws {
        let head = ["_v=1", "_k=00112233445566ff"]
        let nameless = try #require(Advertisement(reading: strings(head), instanceName: name))
        #expect(nameless.name == nil && !nameless.isPrivate)
        #expect(try #require(Advertisement(reading: strings(head + ["_n=\(name)"]), instanceName: "Anna")).name == nil)
    }
}

@Suite("Discovery info")
struct DiscoveryInfoTests {
    @Test(
        "A key of another form is refused (R23.2-2)",
        arguments: ["", "_room", "ro=om", "räum", "room\n", String(repeating: "k", count: 65)])
    func keys(key: String) {
        #expect(throws: DiscoveryInfoError.key(key)) { try DiscoveryInfo([key: "4"]) }
    }

    @Test("Keys differ in more than case (R23.2-2)")
    func sameKeys() {
        #expect(throws: DiscoveryInfoError.sameKey("room")) { try DiscoveryInfo(["room": "4", "ROOM": "5"]) }
    }

    @Test("A string has at most 255 bytes, and all together 400 (R23.2-2)")
    func lengths() throws {
        let longest = try DiscoveryInfo(["k": String(repeating: "v", count: 253)])
        #expect(longest.strings.first?.count == 255)
        #expect(throws: DiscoveryInfoError.valueTooLong("k")) {
            try DiscoveryInfo(["k": String(repeating: "v", count: 254)])
        }
        // 256 and 144 bytes with their lengths.
        let full = ["a": String(repeating: "v", count: 253), "b": String(repeating: "v", count: 141)]
        #expect(try DiscoveryInfo(full).strings.reduce(0) { $0 + 1 + $1.count } == 400)
        #expect(throws: DiscoveryInfoError.tooLong(byteCount: 401)) {
            try DiscoveryInfo(full.merging(["b": String(repeating: "v", count: 142)]) { $1 })
        }
    }
}

@Suite("Names of services")
struct InstanceNameTests {
    @Test("A name that is in use gets a number, within 63 bytes and between characters (SPEC §23.1)")
    func numbers() {
        var name = InstanceName("Anna")
        #expect(name.text == "Anna")
        for expected in ["Anna (2)", "Anna (3)"] {
            let isAnother = name.next()
            #expect(isAnother && name.text == expected)
        }

        var long = InstanceName(String(repeating: "ä", count: 31) + "x")
        #expect(long.text.utf8.count == 63)
        let isAnother = long.next()
        #expect(isAnother)
        #expect(long.text == String(repeating: "ä", count: 29) + " (2)")
        #expect(long.text.utf8.count == 62)

        var count = 1
        var many = InstanceName("Anna")
        while many.next() {
            count += 1
            #expect(many.text.utf8.count <= 63)
        }
        #expect(count == 100)
    }
}
