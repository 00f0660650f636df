import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import Testing

@Suite("ristretto255 and SHA-512, SPEC §25.5")
struct Ristretto255Tests {
    private let primitives = TestProvider.sodium.pairing

    @Test("SHA-512 of FIPS 180-4, in pieces of any size")
    func hash() throws {
        let expected = hex(
            """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
            """)
        let abc = Array("abc".utf8)
        for first in 0...3 {
            for second in first...3 {
                let (head, tail) = (Array(abc[..<first]), Array(abc[second...]))
                let middle = try TestProvider.secret(Array(abc[first..<second]))
                #expect(try primitives.wideHashing.hash(head.span, middle, tail.span).copied() == expected)
            }
        }
    }

    /// 1, 2 and 3 times the generator (RFC 9496 §A.1).
    private static let multiples = [
        "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
        "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
        "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
    ]

    private func scalar(_ number: UInt8) throws -> GroupScalar {
        let bytes = [number] + [UInt8](repeating: 0, count: 31)
        return try primitives.group.makeScalar(rawBytes: bytes.span)
    }

    @Test("Multiples of the generator of RFC 9496, with a public and with a secret element")
    func multiples() throws {
        for (index, expected) in Self.multiples.enumerated() {
            let number = UInt8(index + 1)
            let generator = hex(Self.multiples[0])
            let product = try primitives.group.multiply(
                try scalar(number), by: try GroupElement(rawBytes: generator))
            #expect(product.copied() == hex(expected))
            let shown = try primitives.group.multiply(
                try scalar(number), bySecret: try TestProvider.secret(generator))
            #expect(shown.rawBytes == hex(expected))
        }
    }

    @Test("The identity is never a product: a scalar of zero is refused")
    func zero() throws {
        let generator = hex(Self.multiples[0])
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try primitives.group.multiply(try scalar(0), by: GroupElement(rawBytes: generator)).count
        }
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try primitives.group.multiply(try scalar(0), bySecret: try TestProvider.secret(generator))
        }
    }

    @Test("Values of other lengths are refused", arguments: [0, 31, 33])
    func lengths(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try primitives.group.makeScalar(rawBytes: bytes.span).number.count
        }
        #expect(throws: CryptoFailure.malformedKey) { try GroupElement(rawBytes: bytes) }
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try primitives.group.deriveElement(from: try TestProvider.secret(bytes)).count
        }
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try primitives.group.multiply(try scalar(1), bySecret: try TestProvider.secret(bytes))
        }
    }
}
