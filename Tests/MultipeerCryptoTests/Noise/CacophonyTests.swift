import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite(
    "Noise NN known answers of cacophony, SPEC §9",
    .enabled(if: ExternalVectors.has("noise/cacophony.json")))
struct CacophonyTests {
    private struct File: Decodable {
        let vectors: [Vector]
    }

    struct Vector: Decodable {
        struct Message: Decodable {
            let payload, ciphertext: HexBytes
        }
        let protocolName: String
        let initPrologue, initEphemeral, respPrologue, respEphemeral: HexBytes
        let handshakeHash: HexBytes
        let messages: [Message]
    }

    /// The names alone, so that vectors of other patterns need not decode.
    private struct Names: Decodable {
        struct Name: Decodable { let protocolName: String }
        let vectors: [Name]
    }

    @Test("Of 64 vectors, the two of the supported suites are run; the others name other patterns or hashes")
    func scope() throws {
        let names = try ExternalVectors.load("noise/cacophony.json", as: Names.self).vectors.map(\.protocolName)
        #expect(names.count == 64)
        let ours = Set(Suite.classical.map(\.name))
        #expect(names.filter { ours.contains($0) }.count == 2)
        // NN with another hash, or with a pre-shared key, or not NN at all: not this protocol's.
        #expect(
            names.filter { $0.hasPrefix("Noise_NN_") && !ours.contains($0) }.allSatisfy { !$0.hasSuffix("_SHA256") })
    }

    @Test("Every message both ways, and the handshake hash", arguments: Suite.classical)
    func run(suite: Suite) throws {
        let vector = try #require(
            try ExternalVectors.load("noise/cacophony.json", as: File.self).vectors
                .first { $0.protocolName == suite.name })
        try #require(vector.messages.count == 6)
        var pair = try NoisePair(
            NoisePair.Inputs(
                suite: suite, initiatorPrologue: vector.initPrologue.bytes,
                responderPrologue: vector.respPrologue.bytes, initiatorEphemeral: vector.initEphemeral.bytes,
                responderEphemeral: vector.respEphemeral.bytes,
                payloads: vector.messages.prefix(2).map(\.payload.bytes)))

        #expect(pair.messages == vector.messages.prefix(2).map(\.ciphertext.bytes))
        #expect(pair.payloads == vector.messages.prefix(2).map(\.payload.bytes))
        #expect(pair.initiator.handshakeHash.rawBytes == vector.handshakeHash.bytes)
        #expect(pair.responder.handshakeHash.rawBytes == vector.handshakeHash.bytes)

        // The transport messages continue in turn, the initiator first.
        for (index, message) in vector.messages.enumerated().dropFirst(2) {
            let sealed: [UInt8]
            let opened: [UInt8]
            if index.isMultiple(of: 2) {
                sealed = try pair.initiator.sending.seal(message.payload.bytes)
                opened = try pair.responder.receiving.open(message.ciphertext.bytes)
            } else {
                sealed = try pair.responder.sending.seal(message.payload.bytes)
                opened = try pair.initiator.receiving.open(message.ciphertext.bytes)
            }
            #expect(sealed == message.ciphertext.bytes, "message \(index)")
            #expect(opened == message.payload.bytes, "message \(index)")
        }
    }
}
