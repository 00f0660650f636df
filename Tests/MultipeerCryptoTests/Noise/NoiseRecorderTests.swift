import MultipeerCrypto
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Noise intermediates for vectors, SPEC §9")
struct NoiseRecorderTests {
    @Test(
        "Both peers record the same intermediates, which equal those computed by hand",
        arguments: Suite.classical)
    func intermediates(suite: Suite) throws {
        let (left, right) = (NoiseRecorder(), NoiseRecorder())
        let inputs = NoisePair.Inputs(suite: suite, payloads: [[1], [2, 3]])
        let pair = try NoisePair(
            inputs, initiatorCrypto: left.recording(TestProvider.all),
            responderCrypto: right.recording(TestProvider.all))
        #expect(left.snapshots == right.snapshots)
        #expect(left.snapshots.map(\.step) == NoiseStep.allCases.filter { $0 != .encapsulation })
        try check(left, pair.messages, suite)
        #expect(pair.initiator.handshakeHash.rawBytes == left.snapshots.last?.handshakeHash)
    }

    private func check(_ recorder: NoiseRecorder, _ messages: [[UInt8]], _ suite: Suite) throws {
        let hashing = TestProvider.all.hashing
        let name = Array(suite.name.utf8)
        var h = name + [UInt8](repeating: 0, count: 32 - name.count)
        let initial = h
        let mixed: [[UInt8]] = [
            Array("prologue".utf8), Array(messages[0].prefix(32)), Array(messages[0].dropFirst(32)),
            Array(messages[1].prefix(32)), Array(messages[1].dropFirst(32)),
        ]
        var hashes = [h]
        for data in mixed {
            h = hashing.hash(h.span, data.span).rawBytes
            hashes.append(h)
        }
        // Token ee changes ck, k and n, not h.
        hashes.insert(hashes[4], at: 5)
        let snapshots = recorder.snapshots
        try #require(snapshots.count == hashes.count)
        #expect(snapshots.map(\.handshakeHash) == hashes)
        #expect(snapshots.map(\.nonce) == [0, 0, 0, 0, 0, 0, 1])
        #expect(snapshots.prefix(5).allSatisfy { $0.chainingKey == initial && $0.cipherKey == nil })

        let shared = try TestProvider.all.agreement.agree(
            NoisePair.key((1...32).map { UInt8($0) }), with: AgreementPublicKey(rawBytes: mixed[3])
        ).copied()
        let pair = try hashing.deriveKeys(chainingKey: TestProvider.secret(initial), inputKeyMaterial: shared.span)
        #expect(snapshots[5].chainingKey == pair.first.copied())
        #expect(snapshots[5].cipherKey == pair.second.copied())
        #expect(snapshots[6].cipherKey == pair.second.copied())
        let nothing: [UInt8] = []
        let split = try hashing.deriveKeys(chainingKey: pair.first, inputKeyMaterial: nothing.span)
        let keys = try #require(recorder.splitKeys)
        #expect(keys.initiatorToResponder == split.first.copied())
        #expect(keys.responderToInitiator == split.second.copied())
        // x: HMAC-HASH(temp_key, output2 ‖ 0x03), with temp_key = HMAC-HASH(ck, empty) (Noise §4.3, SPEC §9.8).
        let temporary = try hashing.authenticate(nothing.span, nothing.span, key: pair.first)
        let last = split.second.copied() + [3]
        let third = try hashing.authenticate(last.span, nothing.span, key: temporary)
        #expect(recorder.exporterMaterial == third.copied())
    }

    @Test("Messages after the handshake are not recorded")
    func transportIsNotRecorded() throws {
        let recorder = NoiseRecorder()
        var pair = try NoisePair(.init(), initiatorCrypto: recorder.recording(TestProvider.all))
        let before = recorder.snapshots
        let sealed = try pair.initiator.sending.seal([1])
        try pair.initiator.sending.rekey()
        #expect(try pair.responder.receiving.open(sealed) == [1])
        #expect(recorder.snapshots == before)
    }
}
