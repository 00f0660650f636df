import MultipeerScriptedPeer
import MultipeerWire

/// Whole sessions.
enum Section5 {
    static let cases: [ConformanceCase] = [
        ConformanceCase(
            "5-session", "A session from hello to close", "R6.5-1 R8.1-1 R9.5-1 R10.5-3 R16.1-2",
            expects: "every step of §5, and CLOSE no_error in the end"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let came = try play.mustReach(.open)
            try play.peer.send(WireBytes.padding())
            return came.and(try play.expectAlive())
        },
        suite("5-session-chachapoly", "0x0001", .chaChaPoly),
        suite("5-session-aesgcm", "0x0002", .aesGCM),
        ConformanceCase(
            "5-byte-by-byte", "A session that arrives byte by byte", "R6.2-1 R6.3-2",
            expects: "every step of §5, and CLOSE no_error in the end"
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.peer.dripFeeds = true
            let came = try play.mustReach(.open)
            return came.and(try play.expectAlive())
        },
    ]

    private static func suite(_ id: String, _ number: String, _ suite: Suite) -> ConformanceCase {
        ConformanceCase(
            id, "A session with suite \(number)", suite == .chaChaPoly ? "R7.2-1" : "R7.3-1",
            expects: "every step of §5, and CLOSE no_error in the end"
        ) { (play: Play) throws(Interruption) -> Evidence in
            play.terms.offer.suites = [suite.rawValue]
            play.terms.suite = suite
            // The mandatory suite is never skipped.
            if suite != .chaChaPoly, play.role == .initiator, try play.refusesSuite() {
                throw .skipped("the peer does not have suite \(number)")
            }
            let came = try play.mustReach(.open)
            guard play.peer.suite == suite else { throw .failed("the peer chose another suite") }
            return came.and(try play.expectAlive())
        }
    }
}

extension Play {
    /// Whether the peer answers the offer of ``terms`` by REFUSAL; on a connection of its own.
    func refusesSuite() throws(Interruption) -> Bool {
        try peer.sendHello(terms.offer)
        if case .refusal = try peer.next(awaiting: "HELLO") { return true }
        try reconnect()
        return false
    }
}
