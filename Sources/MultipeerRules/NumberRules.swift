import MultipeerScriptedPeer
import MultipeerWire

/// Frames that name a stream or a file which they must not name: SPEC §13.2, §13.4.
package enum NumberRules {
    /// Every frame that names a number.
    package struct Naming: Sendable {
        /// As in the comments of vectors.
        package let name: String
        /// In the IDs of cases.
        fileprivate let topic: String
        package let isOfStreams: Bool
        package let frame: @Sendable (UInt64) -> [UInt8]

        /// Whether it is passed over where its number has ended (R13.2-3).
        package var isIgnoredBehindTheEnd: Bool {
            ["CREDIT", "STREAM_STOP", "FILE_ACCEPT", "FILE_CANCEL", "FILE_DONE"].contains { name.hasPrefix($0) }
        }
    }

    package static let naming: [Naming] = [
        Naming(name: "CREDIT of a stream", topic: "credit", isOfStreams: true) { WireBytes.credit(3, $0, 100_000) },
        Naming(name: "CREDIT of a file", topic: "file-credit", isOfStreams: false) { WireBytes.credit(4, $0, 100_000) },
        Naming(name: "STREAM_DATA", topic: "stream-data", isOfStreams: true) { WireBytes.streamData($0, "x") },
        Naming(name: "STREAM_END", topic: "stream-end", isOfStreams: true) { WireBytes.streamEnd($0, 0) },
        Naming(name: "STREAM_RESET", topic: "stream-reset", isOfStreams: true) { WireBytes.streamReset($0) },
        Naming(name: "STREAM_STOP", topic: "stream-stop", isOfStreams: true) { WireBytes.streamStop($0) },
        Naming(name: "FILE_ACCEPT", topic: "file-accept", isOfStreams: false) { WireBytes.fileAccept($0) },
        Naming(name: "FILE_CANCEL", topic: "file-cancel", isOfStreams: false) { WireBytes.fileCancel($0) },
        Naming(name: "FILE_DATA", topic: "file-data", isOfStreams: false) { WireBytes.fileData($0, offset: 0, [1]) },
        Naming(name: "FILE_END", topic: "file-end", isOfStreams: false) {
            WireBytes.fileEnd($0, digest: [UInt8](repeating: 0, count: 32))
        },
        Naming(name: "FILE_DONE", topic: "file-done", isOfStreams: false) { WireBytes.fileDone($0) },
    ]

    private static func rule(
        _ id: String, _ comment: String, _ requirements: String, _ flag: String, _ code: CloseCode = .unexpectedFrame,
        isLive: Bool = true,
        _ frames: @escaping @Sendable (any NumberingSender) -> [[UInt8]]
    ) -> AssociationRule {
        AssociationRule(
            id, comment, requirements, at: .open, code, flag, section: "13.2", isLive: isLive, frames)
    }

    /// What begins with another number than the next one.
    package static let beginnings: [AssociationRule] = {
        let bad: [(String, String, @Sendable (any NumberingSender) -> UInt64)] = [
            ("other-parity", "of the receiver's parity", { $0.receiversNumber(0) }),
            ("skipped", "that skips one", { $0.ownNumber(1) }),
            ("far", "far ahead", { $0.ownNumber(1_000_000) }),
            ("largest", "the largest", { _ in VarInt.maximum - 1 }),
        ]
        let first = bad.flatMap { topic, comment, number in
            [
                rule(
                    "13.2-\(topic)", "STREAM_OPEN with a number \(comment)", "R13.2-1 R15.6-1", "WrongNumber",
                    .malformed
                ) { [WireBytes.opening(number($0))] },
                rule(
                    "13.2-file-\(topic)", "FILE_OFFER with a number \(comment)", "R13.2-1 R15.3-1", "WrongNumber",
                    .malformed
                ) { [WireBytes.fileOffer(number($0), size: 5)] },
            ]
        }
        return first + [
            rule(
                "13.2-stream-behind-file", "a stream with the number of a live file", "R13.2-1", "WrongNumber",
                .malformed
            ) { [WireBytes.fileOffer($0.ownNumber(), size: 5), WireBytes.opening($0.ownNumber())] },
            rule(
                "13.2-used-up", "a number that has ended is not used again", "R13.2-1", "WrongNumber", .malformed
            ) {
                [
                    WireBytes.fileOffer($0.ownNumber(), size: 5), WireBytes.fileCancel($0.ownNumber()),
                    WireBytes.fileOffer($0.ownNumber(), size: 5),
                ]
            },
        ]
    }()

    /// A number that nobody has begun, after one that is live.
    package static let unused: [AssociationRule] = naming.flatMap { naming in
        [
            rule(
                "13.2-unused-\(naming.topic)", "\(naming.name) of a number of its sender's that is unused", "R13.2-2",
                "UnusedNumber"
            ) { [WireBytes.opening($0.ownNumber()), naming.frame($0.ownNumber(1))] },
            rule(
                "13.2-receivers-\(naming.topic)", "\(naming.name) of a number of its receiver's that is unused",
                "R13.2-2",
                // A live peer may have begun that one by itself.
                "UnusedNumber", isLive: false
            ) { [WireBytes.opening($0.ownNumber()), naming.frame($0.receiversNumber(1))] },
        ]
    }

    /// Cases that have had names of their own since before the table was one.
    private static let names = [
        "credit": "13.4-stream-for-file", "file-credit": "13.4-file-for-stream",
        "stream-data": "13.2-stream-frame-of-file", "file-end": "13.2-file-frame-of-stream",
        "file-cancel": "13.2-cancel-of-stream",
    ]

    /// A live file for a frame about streams, or the other way round.
    package static let otherKind: [AssociationRule] = naming.map { naming in
        rule(
            names[naming.topic] ?? "13.2-\(naming.topic)-of-\(naming.isOfStreams ? "file" : "stream")",
            "\(naming.name) that names a live \(naming.isOfStreams ? "file" : "stream") of its sender's",
            naming.name.hasPrefix("CREDIT") ? "R13.4-3" : "R13.2-2", "UnexpectedFrame"
        ) {
            let number = $0.ownNumber()
            return [
                naming.isOfStreams ? WireBytes.fileOffer(number, size: 5) : WireBytes.opening(number),
                naming.frame(number),
            ]
        }
    }
}
