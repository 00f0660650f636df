import Foundation
import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import Testing

@Suite(
    "CPACE-RISTR255-SHA512, known answers of draft-irtf-cfrg-cpace, SPEC §25.5",
    .enabled(if: ExternalVectors.has("cpace/ristretto255.json")))
struct CPaceKnownAnswerTests {
    private let primitives = TestProvider.sodium.pairing

    /// The file has keys that no decoder's strategy leaves alone.
    private static func file() throws -> [String: [String: Any]] {
        let data = try Data(contentsOf: ExternalVectors.folder.appendingPathComponent("cpace/ristretto255.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    }

    private static func bytes(_ value: Any?) throws -> [UInt8] {
        try #require((value as? String).flatMap(Hexadecimal.decode))
    }

    /// The run of the file.
    private struct Run {
        let values: [String: Any]

        init() throws { values = try #require(try CPaceKnownAnswerTests.file()["G_Coffee25519"]) }

        subscript(_ name: String) -> [UInt8] {
            get throws { try CPaceKnownAnswerTests.bytes(values[name]) }
        }

        var context: CPaceContext {
            get throws {
                CPaceContext(
                    sessionIdentifier: try SharedSecret(copying: self["sid"], in: TestProvider.sodium.secrets),
                    channelIdentifier: try self["CI"])
            }
        }

        func message(_ side: String) throws -> CPaceMessage {
            CPaceMessage(share: try GroupElement(rawBytes: self["Y" + side]), associatedData: try self["AD" + side])
        }
    }

    private func scalar(_ bytes: [UInt8]) throws -> GroupScalar {
        try primitives.group.makeScalar(rawBytes: bytes.span)
    }

    @Test("Generator, shares, product and key of the initiator-responder setting")
    func run() throws {
        let run = try Run()
        let context = try run.context
        let password = try TestProvider.secret(run["PRS"])
        let generator = try CPaceSteps.generator(password, context, primitives)
        #expect(generator.copied() == (try run["g"]))
        for side in ["a", "b"] {
            let own = try scalar(run["y" + side])
            #expect(try primitives.group.multiply(own, bySecret: generator).rawBytes == run["Y" + side])
            let product = try primitives.group.multiply(own, by: run.message(side == "a" ? "b" : "a").share)
            #expect(product.copied() == (try run["K"]))
            let transcript = CPaceSteps.transcript(try run.message("a"), try run.message("b"))
            let key = try CPaceSteps.intermediateKey(product, context, transcript: transcript, primitives)
            #expect(key.copied() == (try run["ISK_IR"]))
        }
    }

    @Test("Both roles send the shares of the draft, and confirm")
    func roles() throws {
        let run = try Run()
        let context = try run.context
        let initiator = try CPaceInitiator(
            password: try TestProvider.secret(run["PRS"]), context: context, associatedData: try run["ADa"],
            primitives: primitives, scalar: try scalar(run["ya"]))
        #expect(initiator.message == (try run.message("a")))
        let responder = try CPaceResponder(
            answering: initiator.message, password: try TestProvider.secret(run["PRS"]), context: context,
            associatedData: try run["ADb"], primitives: primitives, scalar: try scalar(run["yb"]))
        #expect(responder.message == (try run.message("b")))
        let confirming = try initiator.receive(responder.message)
        let confirmation = try responder.confirm(confirming.confirmation)
        try confirming.finish(confirmation)
    }

    @Test("The valid point, and the two that scalar_mult_vfy refuses")
    func points() throws {
        let points = try #require(try Self.file()["G_Coffee25519_points"])
        let valid = try #require(points["Valid"] as? [String: Any])
        let number = try Self.bytes(valid["s"])
        let product = try primitives.group.multiply(
            try scalar(number), by: try GroupElement(rawBytes: Self.bytes(valid["X"])))
        #expect(product.copied() == (try Self.bytes(valid["G.scalar_mult_vfy(s,X)"])))
        let invalid = points.keys.filter { $0.hasPrefix("Invalid") }
        #expect(invalid.count == 2)
        for name in invalid {
            let element = try GroupElement(rawBytes: try Self.bytes(points[name]))
            #expect(throws: CryptoFailure.malformedKey, "\(name)") {
                _ = try primitives.group.multiply(try scalar(number), by: element).count
            }
        }
    }
}
