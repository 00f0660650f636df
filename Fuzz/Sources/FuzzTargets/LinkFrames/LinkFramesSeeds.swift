import MultipeerVectors

/// Every frame of the vectors at every place, and a few exchanges that go well.
enum LinkFramesSeeds {
    static func invitation(_ vectors: VectorSet) -> [[UInt8]] {
        let places = FramesPlace.allCases.filter { !isOpen($0) }
        return single(frames(vectors), places) + stories(invitations + resumptions, places) + verifications(places)
    }

    /// Where both peers list the feature *verification* (``FramesSetting/verifies``).
    private static func verifications(_ places: [FramesPlace]) -> [[UInt8]] {
        verifying(verifications + strings, [.info, .identified, .inviting, .invited])
            + stories(verifications + strings, places)
    }

    private static func verifying(_ stories: [[UInt8]], _ places: [FramesPlace]) -> [[UInt8]] {
        let settings: [[UInt8]] = [[0x20, 0], [0x21, 0], [0x22, 0xC6], [0x23, 0]]
        return settings.flatMap { setting in
            places.flatMap { place in stories.map { setting + [0x40 | (42 + place.rawValue)] + $0 } }
        }
    }

    static func payload(_ vectors: VectorSet) -> [[UInt8]] {
        let places = FramesPlace.allCases.filter(isOpen)
        return single(frames(vectors), places) + stories(payloads, places) + verifying(strings, places)
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
            + stories.flatMap { story in places.map { [0x01, 0xC6, 0xC0 | $0.rawValue] + story } }
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
        info + record + control(1, 1, 0, 0) + record + app(4, 1) + opening,
        info + control(1, 1, 0x41, 2, 9, 9, 0) + record + app(4, 0x41) + opening,
        info + record + app(0, 1) + control(2, 1, 0) + control(5, 0) + record + app(8) + control(6, 0) + record,
        info + record + app(0, 0x42) + control(1, 2, 0x40, 0, 0) + record + control(5, 0) + record,
        info + record + app(0, 1) + control(2, 5, 0) + control(5, 3) + record + app(11),
        app(0, 9) + clock(0, 40) + info + control(2, 1, 0) + record,
        info + record + app(0, 2) + control(3, 3, 1, 0, 0) + record + control(7, 0, 0) + record,
        info + record + control(1, 1, 0x41, 0, 0) + record + clock(6) + control(7, 0, 0) + record,
        // Chains: of three, one that is wrong, none; and a member's.
        info + record + control(1, 1, 0x80, 0x08, 0) + record + app(4, 1) + opening,
        info + record + control(1, 1, 0x80, 0x28, 0) + record,
        info + record + control(1, 1, 0x80, 0x40, 0, 0) + record,
        info + record + control(1, 1, 0x80, 0x07, 0) + record + app(4, 1) + opening,
        control(4, 1, 0) + record + control(7, 0, 0) + record,
        control(6, 0) + record + control(6, 0) + record,
        info + info + record + clock(8, 0) + info + record,
        app(7, 0) + control(7, 0, 0) + record + clock(12),
    ]

    /// RESUME of a peer that knows no association here (§13.9), with those files and fields.
    private static func resume(_ files: [UInt8], _ fields: [UInt8] = []) -> [UInt8] {
        let frame = ModelSent(
            0x26,
            [UInt8](repeating: 7, count: 16) + [0, 0] + ModelSent.vector(files) + ModelSent.vector(fields)
                + [UInt8](repeating: 9, count: 32))
        return [9, 0, UInt8(frame.encoded.count)] + frame.encoded + record
    }

    private static let resumptions: [[UInt8]] = [
        resume([]) + control(7, 0, 0) + record,
        resume([0, 9, 2, 9], [1, 0]) + clock(6),
        resume([2, 9, 2, 9]), resume([2]), resume([], [2, 0]),
        app(0, 1) + resume([]) + record,
    ]

    private static func code(_ kind: UInt8, _ arguments: UInt8...) -> [UInt8] { [(10 + kind) << 4] + arguments }
    private static let (begin, answer, confirm) = (code(0, 0, 0, 0), code(1, 0, 0), code(2, 0, 0))
    private static let (give, show, compare) = (app(15, 0), app(15, 1), app(15, 2))
    private static let (commit, reveal) = (code(3, 0, 0, 0), code(4, 0, 0, 0))

    private static let verifications: [[UInt8]] = [
        // Right, by either peer, and an invitation after it or waiting for it.
        begin + record + show + confirm + record + control(1, 1, 0, 0) + record + app(4, 1) + opening,
        give + answer + record + confirm + record + app(0, 1) + control(2, 1, 0) + opening,
        give + app(0, 1) + answer + record + confirm + record + control(2, 1, 0) + opening,
        begin + record + show + app(0, 1) + app(3) + record,
        // Wrong: another word, another number, the other confirmation, no share, and nobody who answers.
        begin + record + app(15, 0xC5) + app(15, 0xE5) + confirm + record,
        code(0, 0xD0, 0, 0) + record + show + record,
        code(0, 0, 0xC1, 0) + record + show + confirm + record,
        begin + record + show + code(2, 0xD0, 0) + record,
        give + answer + record + code(2, 0xD0, 0) + record,
        code(0, 0, 0xF8, 0) + record + show,
        give + code(1, 0xF0, 0) + record,
        begin + record + app(15, 0xC1),
        begin + confirm + record + show,
        begin + control(1, 1, 0, 0) + record + show,
        begin + record + show + confirm + confirm + record,
        // A second attempt, of either peer.
        begin + record + show + confirm + begin + record + show,
        give + answer + record + confirm + begin + record,
        // Both type; INVITE crosses; time.
        give + begin + record + show + answer + record + confirm + record,
        give + control(1, 1, 0, 0) + record + control(4, 1, 0) + record,
        give + control(1, 1, 0, 0) + answer + record,
        give + clock(6) + answer + record,
        begin + record + clock(8, 1) + show + confirm + record,
        app(0, 1) + begin + record,
        // A string beside a code.
        begin + record + show + compare + commit + reveal + record + confirm + record,
    ]

    private static let strings: [[UInt8]] = [
        compare + commit + record + reveal + record,
        commit + record + compare + reveal + record,
        commit + record + compare + code(4, 0, 0xE0, 0) + record,
        commit + commit + record + compare,
        compare + code(3, 0, 0) + code(4, 0, 0, 0) + record + code(4, 0, 0, 0) + record,
    ]

    private static let offer = payload(9, 3, 0, 1, 0x66, 0)
    private static let data = payload(12, 0, 0, 0xA0)
    private static let end = payload(13, 0, 0, 0)
    private static let message = payload(0, 0, 20)

    private static let payloads: [[UInt8]] = [
        offer + record + session(10, 0, 0) + data + end + record + session(12, 0),
        offer + record + session(10, 0, 0) + data + readable + end + record + session(12, 0),
        offer + record + session(10, 0, 0) + data + payload(13, 0, 0xE3, 0) + record + payload(11, 0, 0, 5, 0) + record,
        offer + offer + record + session(10, 1, 0) + session(11, 0, 2) + payload(11, 0, 0, 1, 0) + record,
        message + record + payload(0, 2, 60) + payload(1, 40) + payload(1, 60) + record + session(2, 9),
        message + readable + payload(0, 1, 60) + payload(1, 1) + readable,
        payload(0, 5, 1) + record + payload(0, 5, 1) + readable,
        // A byte more than is missing, of a message and of a file.
        payload(0, 2, 60) + payload(1, 0xC0) + record,
        payload(0, 2, 60) + payload(1, 0xC0) + readable,
        offer + record + session(10, 0, 0) + payload(12, 0, 0, 0xC0) + record,
        session(7, 2) + payload(10, 0, 0, 0, 0) + record + session(8, 0, 0) + payload(14, 0) + record,
        session(7, 2) + payload(10, 0, 0, 0, 0) + record + session(8, 0, 0) + app(12) + payload(14, 0) + record
            + control(7, 0, 0) + record,
        // Streams both ways, in the right protection and in the other.
        payload(5, 0, 0, 0) + record + payload(6, 0, 30) + readable + payload(7, 0, 0, 0) + record + session(6, 0, 30),
        payload(5, 0, 0, 0) + record + payload(6, 0, 30) + record + session(5, 0, 1) + session(5, 0, 2),
        session(3, 0) + session(4, 0, 100) + payload(8, 1, 0, 5, 0, 0) + record,
        session(3, 1) + session(4, 0, 100) + session(5, 0, 0) + payload(6, 0, 1) + record,
        // More messages than there is credit for, and closing after them.
        session(0, 0xC3) + session(0, 0xC3) + app(12) + payload(2, 0x30, 0) + record + payload(3, 0) + record
            + control(7, 0, 0) + record,
        session(0, 0xC3) + session(0, 0xC3) + app(12) + clock(6) + message + record + control(7, 0, 0) + record,
        session(0, 9) + offer + record + app(12) + message + record + message + readable + payload(3, 0) + record
            + control(7, 0, 0) + record,
        // What a guest makes of a session.
        payload(15, 0, 0) + payload(15, 2, 1, 2) + payload(15, 4, 0) + record + payload(15, 1, 0) + record,
        payload(15, 5, 1, 2, 0) + record,
        payload(15, 0x4F, 0, 0x20, 0) + payload(15, 0x0F, 2, 3, 0, 0, 0) + payload(15, 0x07, 0) + record,
        payload(4, 0, 9) + record + clock(6) + payload(4, 1, 9) + record + clock(6) + clock(7),
        control(7, 0, 0) + message + record,
        control(8, 0x3F, 2, 1, 1) + message + readable + control(8, 0x3E, 0) + record,
    ]
}
