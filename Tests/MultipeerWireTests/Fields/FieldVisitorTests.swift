import MultipeerWire
import Testing

@Suite("Fields by name, kind, value and place")
struct FieldVisitorTests {
    /// The fields that are no second name for the same bytes.
    private static func places(_ fields: [VisitedField]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        for field in fields where places.last != field.range || field.range.isEmpty { places.append(field.range) }
        return places
    }

    @Test(
        "The fields of every frame follow each other from the first byte to the last", arguments: frameSamples.indices)
    func everyByteHasAField(index: Int) throws {
        let sample = frameSamples[index]
        let fields = try FieldVisitor.fields(of: type(of: sample.frame).type, payload: sample.payload.span)
        var offset = 0
        for place in Self.places(fields) {
            #expect(place.lowerBound == offset, "\(sample.name)")
            offset = place.upperBound
        }
        #expect(offset == sample.payload.count, "\(sample.name)")
    }

    @Test("Names, values and the registries' names of an INVITE with a field")
    func invite() throws {
        let payload = counting(64) + [0, 1, 2, 1] + varint(30_000) + [1, 7] + vector(field(31, [9]))
        let fields = try FieldVisitor.fields(of: .invite, payload: payload.span)
        #expect(
            fields.map(\.name) == [
                "founder", "nonce", "parameters", "sessionKind", "preference", "identityKind", "timeout", "context",
                "context", "fields", "field", "value",
                "value",
            ])
        #expect(fields.map(\.value) == [0, 0, 0, 1, 2, 1, 30_000, 1, 0, 3, 31, 1, 0])
        #expect(fields.compactMap(\.meaning) == ["new session", "required", "X.509 chain", "GREASE"])
        #expect(fields.map(\.depth) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    }

    @Test("GREASE and registered values of both hellos have their names")
    func hellos() throws {
        let hello = InitiatorHello(
            versions: [0x1A1A, 0xFF04], suites: [2, 0x4F01], extensions: [HelloExtension(type: 0x2A2A, data: [5])],
            ephemeral: counting(32))
        let body = hello.body()
        let fields = try FieldVisitor.initiatorHello(body.span)
        #expect(
            fields.filter { $0.depth == 1 && $0.kind == .code }.map(\.meaning) == [
                "GREASE", "draft 04 of version 1", "Noise_NN_25519_AESGCM_SHA256", nil, "GREASE",
            ])
        #expect(fields.last?.range == body.count - 32..<body.count)
        let answer = ResponderHello(
            version: 0xFF04, suite: 1, extensions: [], ephemeral: counting(32), confirmation: counting(16))
        let reply = answer.body()
        let names = try FieldVisitor.responderHello(reply.span).map(\.name)
        #expect(names == ["version", "suite", "extensions", "ephemeral", "confirmation"])
    }

    @Test("Undecodable bytes have no fields")
    func malformed() {
        func refuses(_ type: FrameType, _ payload: [UInt8]) -> Bool {
            (try? FieldVisitor.fields(of: type, payload: payload.span)) == nil
        }
        #expect(refuses(.close, []) && refuses(.invite, [1, 2, 3]) && refuses(.messagePart, []))
        let body: [UInt8] = []
        let refusal = try? FieldVisitor.refusal(body.span)
        #expect(refusal == nil)
    }
}
