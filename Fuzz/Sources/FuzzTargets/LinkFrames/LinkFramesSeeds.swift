import MultipeerVectors

/// Every frame of the vectors at every place, and a few exchanges that go well.
enum LinkFramesSeeds {
    static func invitation(_ vectors: VectorSet) -> [[UInt8]] {
        let places = FramesPlace.allCases.filter { !isOpen($0) }
        return single(frames(vectors), places) + stories(invitations, places)
    }

    static func payload(_ vectors: VectorSet) -> [[UInt8]] {
        let places = FramesPlace.allCases.filter(isOpen)
        return single(frames(vectors), places) + stories(payloads, places)
    }

    private static func isOpen(_ place: FramesPlace) -> Bool {
        [.openEncrypted, .openReadable, .closingReadable, .closingEncrypted, .closingFailed].contains(place)
    }

    /// Frames of vectors that are short enough, each only once.
    private static func frames(_ vectors: VectorSet) -> [[UInt8]] {
        Set(FrameSeeds.make(vectors).filter { $0.count <= 300 }).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Each frame at one place, all places in turn.
    private static func single(_ frames: [[UInt8]], _ places: [FramesPlace]) -> [[UInt8]] {
        frames.enumerated().map { number, frame in
            let place = places[number % places.count]
            let flags: UInt8 = number / places.count % 4 == 3 ? 0x63 : 0x20
            return [flags, UInt8(number % 256), place.rawValue, 9, UInt8(frame.count >> 8), UInt8(frame.count & 0xFF)]
                + frame + [number % 5 == 4 ? 11 : 12]
        }
    }

    private static func stories(_ stories: [[UInt8]], _ places: [FramesPlace]) -> [[UInt8]] {
        stories.flatMap { story in places.map { [0x62, 0, $0.rawValue] + story } }
            + stories.flatMap { story in places.map { [0x01, 0xC6, $0.rawValue] + story } }
    }

    private static func control(_ kind: UInt8, _ arguments: UInt8...) -> [UInt8] { [kind << 4] + arguments }
    private static func payload(_ kind: UInt8, _ arguments: UInt8...) -> [UInt8] { [kind << 4 | 4] + arguments }
    private static func app(_ action: UInt8, _ arguments: UInt8...) -> [UInt8] { [action << 4 | 13] + arguments }
    private static func session(_ action: UInt8, _ arguments: UInt8...) -> [UInt8] { [action << 4 | 14] + arguments }
    private static func clock(_ action: UInt8, _ arguments: UInt8...) -> [UInt8] { [action << 4 | 15] + arguments }
    private static let record: [UInt8] = [12]
    private static let readable: [UInt8] = [11]

    private static let info = control(0, 3, 0x45, 0x76, 0x65, 2, 0, 0)
    private static let opening = control(5, 0) + record + app(8) + control(6, 0) + record

    private static let invitations: [[UInt8]] = [
        info + record + control(1, 1, 0, 0, 0) + record + app(4, 1) + opening,
        info + control(1, 1, 0, 2, 9, 9, 0) + record + app(4, 0x41) + opening,
        info + record + app(0, 1) + control(2, 1, 0) + control(5, 0) + record + app(8) + control(6, 0) + record,
        info + record + app(0, 0x42) + control(1, 2, 0, 0, 0) + record + control(5, 0) + record,
        info + record + app(0, 1) + control(2, 5, 0) + control(5, 3) + record + app(11),
        app(0, 9) + clock(0, 40) + info + control(2, 1, 0) + record,
        info + record + app(0, 2) + control(3, 3, 1, 0, 0) + record + control(7, 0, 0) + record,
        info + record + control(1, 1, 1, 0, 0) + record + clock(6) + control(7, 0, 0) + record,
        control(4, 1, 0) + record + control(7, 0, 0) + record,
        control(6, 0) + record + control(6, 0) + record,
        info + info + record + clock(8, 0) + info + record,
        app(7, 0) + control(7, 0, 0) + record + clock(12),
    ]

    /// An offer of 17 or 300 bytes, its acceptance, and all of its data; then its end, and what the app says to it.
    private static func file(_ size: UInt8, data: [UInt8], end: UInt8, _ answer: [UInt8]) -> [UInt8] {
        payload(2, size, 0, 1, 0x66, 0) + record + session(5) + payload(5, 0, 9, 0) + data + payload(5, 0, 0xC0, 0)
            + data
            + payload(6, end, 0) + record + answer
    }

    private static let payloads: [[UInt8]] = [
        file(2, data: record, end: 0, session(8)) + file(3, data: record, end: 0, session(8)),
        file(2, data: readable, end: 0, session(8)) + file(3, data: readable, end: 0xE3, session(8)),
        file(3, data: record, end: 0xE0, session(10, 1)) + file(2, data: [], end: 0, session(10, 2)),
        payload(0, 0, 5) + record + payload(0, 2, 60) + payload(1, 40) + payload(1, 60) + record,
        payload(0, 0, 5) + readable + payload(0, 1, 60) + payload(1, 1) + readable,
        payload(0, 5, 1) + record + payload(0, 5, 1) + readable,
        // A byte more than is missing, of a message and of a file.
        payload(0, 2, 60) + payload(1, 0xD0) + record,
        payload(0, 2, 60) + payload(1, 0xD0) + readable,
        payload(2, 2, 0, 1, 0x66, 0) + record + session(5) + payload(5, 0, 9, 0) + payload(5, 0, 0xD0, 0) + record,
        payload(2, 2, 0, 2, 0x61, 0x2F, 0) + record + session(5) + payload(5, 0, 10, 0) + payload(5, 0, 0xC0, 0)
            + readable
            + payload(6, 0, 0) + record + session(8),
        payload(2, 3, 0, 1, 0x62, 0) + record + session(5) + payload(5, 0, 0xC0, 0) + payload(6, 0, 0) + record
            + session(8) + payload(2, 0, 0, 1, 0x63, 0) + record + session(10, 1) + payload(5, 0, 3, 0) + record,
        session(3, 2) + payload(3, 0) + record + session(12, 0) + payload(7, 0) + record + session(3, 0)
            + payload(4, 0, 1) + record,
        session(0, 9) + payload(2, 1, 0, 1, 0x64, 0) + record + app(12) + payload(0, 0, 3) + record + payload(0, 0, 3)
            + readable + control(7, 0, 0) + record,
        control(7, 0, 0) + payload(0, 0, 1) + record,
        control(8, 0x3F, 2, 1, 1) + payload(0, 0, 1) + readable + control(8, 0x3E, 0) + record,
    ]
}
