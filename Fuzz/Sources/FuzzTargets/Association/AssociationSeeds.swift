import FuzzSupport
import MultipeerVectors
import MultipeerWire

/// Frames of the vectors, and exchanges that go well or end early.
enum AssociationSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        frames(vectors) + stories.flatMap { story in [[0] + story, [0xE3] + story] }
    }

    /// The payload of each frame of an open link, as it is (step 8); each only once.
    private static func frames(_ vectors: VectorSet) -> [[UInt8]] {
        let payloads = (vectors.cases(.controlFrame) + vectors.cases(.payloadFrame)).compactMap { params, test in
            test.inputs.bytes("payload").flatMap { payload -> [UInt8]? in
                guard let name = params["frame"]?.text,
                    let type = FrameType.allCases.first(where: { $0.name == name }),
                    let index = AssociationFrames.types.firstIndex(of: type.rawValue), payload.count <= 80
                else { return nil }
                return [0, UInt8(index) << 4 | 8, UInt8(payload.count)] + payload
            }
        }
        return Set(payloads).sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func frame(_ kind: UInt8, _ arguments: UInt8...) -> [UInt8] { [kind << 4] + arguments }
    private static func app(_ action: UInt8, _ arguments: UInt8...) -> [UInt8] { [action << 4 | 11] + arguments }
    private static func wait(_ milliseconds: UInt8) -> [UInt8] { [9, milliseconds] }
    private static let second: [UInt8] = [0x1A]

    // Frames: 0 MESSAGE, 1 MESSAGE_PART, 2 CREDIT, 3 ACK, 4 PING, 5 STREAM_OPEN, 6 STREAM_DATA, 7 STREAM_END, 8 RESET or STOP,
    // 9 FILE_OFFER, 10 FILE_ACCEPT, 11 FILE_CANCEL, 12 FILE_DATA, 13 FILE_END, 14 FILE_DONE.
    private static let message = frame(0, 0, 20)
    private static let stream = frame(5, 0, 0, 0)
    private static let offer = frame(9, 3, 0, 1, 0x66, 0)
    private static let data = frame(12, 0, 0, 0xA0)

    private static let stories: [[UInt8]] = [
        message + message + app(2, 1) + wait(20) + app(0, 9) + frame(3, 0),
        // ACK counts what begins a stream or a file, and what ends it, of either peer.
        stream + offer + frame(11, 0, 0, 4, 0) + wait(20) + frame(8, 1, 0, 3, 0, 0) + wait(20),
        app(3, 0) + app(7, 2) + app(0, 9) + frame(3, 0) + app(9, 0, 1) + app(5, 0, 1) + frame(3, 0) + frame(3, 0xC0),
        // A long message, credit that is used up, and credit that comes.
        frame(0, 2, 60) + frame(1, 40) + frame(1, 60) + app(2, 0),
        app(0, 0xC3) + app(0, 0xC3) + app(0, 5) + frame(2, 0x30, 0) + app(15, 0) + frame(3, 0),
        frame(0, 8, 0xE2) + frame(1, 0xE2) + frame(1, 0xE2) + frame(1, 0xE2) + frame(1, 0xA0),
        frame(0, 4, 0xD8, 0) + frame(0, 0, 0xD8),
        // Streams: whole, half-closed, stopped, reset; and one way.
        stream + frame(6, 0, 30) + app(6, 0, 30) + frame(7, 0, 0, 0) + app(6, 0, 0xC0) + app(5, 0, 0),
        app(3, 0) + app(4, 0, 100) + app(5, 0, 0) + frame(6, 0, 9) + frame(7, 0, 0, 0) + app(6, 0, 0xC0),
        app(3, 1) + app(4, 0, 9) + frame(8, 1, 0, 5, 0, 0) + frame(6, 0, 9),
        stream + app(5, 0, 2) + frame(6, 0, 30) + frame(8, 0, 0, 7, 0, 0) + app(5, 0, 1),
        stream + frame(6, 0, 0xC0) + frame(8, 1, 0, 3, 0, 0) + frame(7, 0, 0, 0) + frame(6, 0, 1),
        frame(5, 1, 0, 0) + app(4, 0, 5) + frame(6, 0, 0xA0) + frame(6, 0, 1),
        // A byte more than there is credit for, after the app has taken some.
        stream + frame(6, 0, 30) + app(6, 0, 30) + frame(6, 0, 0xD8),
        app(3, 3) + frame(6, 0, 40) + app(6, 0, 20) + frame(6, 0, 0xD8),
        stream + app(4, 0, 0xC3) + app(4, 0, 0xC3) + frame(2, 0x23, 0, 0) + frame(2, 0x33, 0, 0) + app(5, 0, 0),
        // As many openings as there are, and one more.
        [UInt8](repeating: 0, count: 33).flatMap { _ in stream },
        // Files: whole, with another hash, refused, cancelled by either peer, resumed.
        offer + app(10, 0, 0) + data + app(13, 0, 0xBF) + frame(13, 0, 0, 0) + app(12, 0),
        offer + app(10, 0, 0) + data + frame(13, 0, 0xE1, 0) + frame(11, 0, 0, 5, 0) + app(13, 0, 0xC0),
        offer + app(11, 0, 0) + frame(11, 0, 0, 1, 0),
        offer + app(10, 0, 0) + frame(12, 0, 0, 9) + app(11, 0, 1) + data + frame(13, 0, 0, 0) + frame(11, 0, 0, 2, 0),
        offer + frame(11, 0, 0, 4, 0) + app(13, 0, 0xC0) + app(13, 0xE0, 0xC0),
        frame(9, 0x43, 0, 1, 0x66, 0) + app(10, 0, 0x90) + data + frame(13, 0, 0, 0) + app(12, 0),
        app(7, 2) + frame(10, 0, 0, 0, 0) + app(8, 0, 0) + frame(14, 0),
        app(7, 5) + frame(10, 0, 0, 3, 0) + app(8, 0, 0) + frame(2, 4, 0) + frame(2, 0x24, 0) + frame(14, 0),
        app(7, 0x0A) + frame(10, 0, 0x90, 0, 0) + app(14, 0, 0) + app(8, 0, 0) + frame(14, 0),
        app(7, 0x0A) + frame(10, 0, 0x9F, 0, 0) + app(14, 0, 0) + frame(11, 1, 0, 7, 0),
        app(7, 2) + app(7, 3) + frame(10, 0, 0, 0, 0) + app(9, 0, 1) + frame(11, 1, 0, 3, 0) + frame(14, 0),
        // Keep-alive.
        frame(4, 0, 7) + frame(4, 0, 8) + [0x5A] + frame(4, 1, 0) + [0x5A] + [0x5A] + [0x5A],
    ]
}
