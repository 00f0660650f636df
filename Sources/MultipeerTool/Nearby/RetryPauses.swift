/// How long to wait before each further try to connect: half a second at first, then twice as long each time, up to 15 s.
struct RetryPauses {
    private static let longest: Duration = .seconds(15)
    private var following: Duration = .milliseconds(500)

    mutating func next() -> Duration {
        defer { following = min(following * 2, Self.longest) }
        return following
    }
}
