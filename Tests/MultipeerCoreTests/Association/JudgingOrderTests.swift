import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

/// The honest peer has the lesser key: its numbers are even.
@Suite("The order in which the faults of a frame are judged, SPEC §15.4, §18.3")
struct JudgingOrderTests {
    static let offset = malformed(.valueOutOfRange, .fileOffset)

    /// A link that offered file 0 and takes file 1 of the peer, of ten bytes each, and has opened stream 2; the peer has opened
    /// stream 3.
    static func prepared(accepts: Bool = true) throws -> (Duel, FileID) {
        let duel = try FileTests.receiving(.responder, accepts: accepts)
        let file = try duel.honest.link.offerFile(name: "f", size: 10, at: duel.now)
        _ = try duel.honest.link.openStream(named: "s", credit: 0, at: duel.now)
        try Duels.poke(duel, StreamTests.open(3, credit: 9))
        return (duel, file)
    }

    @Test(
        "First the fields, then whether the number allows the frame, then offsets, sizes, limits and credit (R15.4-1)"
    )
    func order() throws {
        let whole = FileTests.data(0, FileTests.content)
        let cases: [([UInt8], LinkFailureCause)] = [
            // Fields, whatever the number.
            (FileTests.data(0, [], id: 9), malformed(.lengthOutOfRange, .fileData)),
            (StreamTests.data([], on: 9), malformed(.lengthOutOfRange, .streamData)),
            (
                FileAccept(id: 8, offset: 1, digest: FileTests.sha256([]), credit: VarInt.maximum).encoded(),
                malformed(.valueOutOfRange, .fileCredit)
            ),
            (
                WireBytes.frame(.credit, [9, 9, 0]),
                .incompatible(.unsupportedField(WireError(.unknownCritical, in: .creditKind)))
            ),
            (WireBytes.frame(.credit, [1, 9, 0]), malformed(.valueOutOfRange, .creditID)),
            // Numbers, whatever the rest.
            (FileTests.data(77, [1], id: 9), unexpected(.fileData)),
            (FileTests.data(77, [1], id: 3), unexpected(.fileData)),
            (whole + FileTests.end + FileTests.data(77, [1]), unexpected(.fileData)),
            (whole + FileTests.end + FileEnd(id: 1, digest: FileTests.sha256([])).encoded(), unexpected(.fileEnd)),
            (Credit(kind: .file, id: 0, limit: 0).encoded(), unexpected(.credit)),
            (Credit(kind: .file, id: 1, limit: 0).encoded(), unexpected(.credit)),
            (Credit(kind: .file, id: 2, limit: 0).encoded(), unexpected(.credit)),
            (Credit(kind: .stream, id: 1, limit: 0).encoded(), unexpected(.credit)),
            (Credit(kind: .stream, id: 4, limit: 0).encoded(), unexpected(.credit)),
            (FileAccept(id: 1, offset: 99, digest: FileTests.sha256([]), credit: 0).encoded(), unexpected(.fileAccept)),
            (FileDone(id: 0).encoded(), unexpected(.fileDone)),
            (StreamTests.end(0, 3) + StreamTests.end(7, 3), unexpected(.streamEnd)),
            (
                StreamTests.end(0, 3) + StreamTests.data([UInt8](repeating: 1, count: 40_000), on: 3),
                unexpected(.streamData)
            ),
            (StreamTests.end(7, 2), unexpected(.streamEnd)),
            // Offsets and sizes, whatever the credit.
            (FileTests.data(77, [UInt8](repeating: 1, count: 60_000)), Self.offset),
            (FileTests.data(0, [UInt8](repeating: 1, count: 60_000)), malformed(.lengthOutOfRange, .fileData)),
            (FileAccept(id: 0, offset: 11, digest: FileTests.sha256([]), credit: 0).encoded(), Self.offset),
            (Credit(kind: .stream, id: 3, limit: 9).encoded(), malformed(.valueOutOfRange, .creditLimit)),
            (
                FileAccept(id: 0, credit: 5).encoded() + Credit(kind: .file, id: 0, limit: 5).encoded(),
                malformed(.valueOutOfRange, .creditLimit)
            ),
        ]
        for (index, (frames, cause)) in cases.enumerated() {
            let (duel, _) = try Self.prepared()
            try Duels.poke(duel, frames)
            #expect(duel.failure == LinkFailure(stage: .open, cause: cause), "case \(index)")
        }
        let (offered, _) = try Self.prepared(accepts: false)
        try Duels.poke(offered, FileTests.data(77, [UInt8](repeating: 1, count: 60_000)))
        expectFailure(offered, unexpected(.fileData), at: .open, told: .unexpectedFrame)
    }

    @Test("A frame that crossed an end is ignored; only its fields are judged (R13.2-3, R13.4-4)")
    func crossed() throws {
        let (duel, file) = try Self.prepared()
        try duel.honest.link.resetStream(try StreamTests.stream(duel), code: 0, at: duel.now)
        try Duels.poke(
            duel, Credit(kind: .stream, id: 3, limit: 0).encoded() + StreamTests.stop(1, 3) + StreamTests.end(0, 3))
        try duel.honest.link.cancelFile(file, at: duel.now)
        try Duels.poke(
            duel,
            Credit(kind: .stream, id: 3, limit: 0).encoded() + StreamTests.stop(1, 3)
                + Credit(kind: .file, id: 0, limit: 0).encoded() + Credit(kind: .stream, id: 0, limit: 0).encoded()
                + FileAccept(id: 0, offset: 99, digest: FileTests.sha256([]), credit: 0).encoded()
                + FileDone(id: 0).encoded() + FileCancel(id: 0, reason: .cancelled).encoded())
        #expect(duel.stage == .open, "\(String(describing: duel.failure))")
        try Duels.poke(duel, WireBytes.frame(.fileDone, [0]))
        expectFailure(duel, malformed(.truncated, .fields), at: .open, told: .malformed)
    }
}
