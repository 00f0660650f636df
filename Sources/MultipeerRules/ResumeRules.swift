import MultipeerScriptedPeer
import MultipeerWire

/// RESUME that a responder refuses before it looks for the association: SPEC §13.9.
package enum ResumeRules {
    package static let faults: [LinkRule] = [Place.identified, .inviting].flatMap(faults(at:))

    private static func faults(at place: Place) -> [LinkRule] {
        func bad(
            _ topic: String, _ comment: String, _ requirement: String, _ flag: String, _ frame: [UInt8],
            code: CloseCode = .malformed
        ) -> LinkRule {
            let isFirst = place == .identified
            return LinkRule(
                "13.9-\(topic)" + (isFirst ? "" : "-\(place.topic)"),
                "RESUME \(comment)" + (isFirst ? "" : ", in answer to the receiver's INVITE"), requirement, at: place,
                code,
                flag, receivers: [.responder]
            ) { _ in [frame] }
        }
        let proof = WireBytes.madeUpProof
        return [
            bad(
                "epoch-long", "with its epoch in a longer form", "R3.2-1", "NonMinimalInteger",
                WireBytes.resume([0x40, 0, 0, 0, 0])),
            bad(
                "files-cut", "whose files end within a position", "R3.3-1", "CutElement",
                WireBytes.resume([0, 0] + WireBytes.vector([1, 2, 3]) + [0])),
            bad(
                "files-descending", "whose files are not in ascending order", "R13.9-9", "NotAscending",
                WireBytes.resume([0, 0] + WireBytes.vector([3, 0, 1, 0]) + [0])),
            bad(
                "even-field", "with an unknown field of even type", "R3.4-3", "UnknownCritical",
                WireBytes.resume([0, 0, 0] + WireBytes.vector(WireBytes.field(4, []))), code: .unsupported),
            bad(
                "proof-short", "with 31 bytes of proof", "R3.3-1", "Truncated",
                WireBytes.resume(proof: Array(proof.dropLast()))),
            bad(
                "proof-long", "with 33 bytes of proof", "R3.3-2", "TrailingBytes", WireBytes.resume(proof: proof + [0])),
        ]
    }
}
