import MultipeerTestSupport

/// People who meet on the loopback interface under a service of their own, so that tests do not meet.
struct Neighbourhood: Sendable {
    let options: [String]
    /// Where their stores are.
    let scratch: Scratch

    init() throws {
        let label = String((0..<8).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
        options = ["--interface", "lo", "--discovery", "embedded", "--service", label]
        scratch = try Scratch()
    }

    func store(_ name: String) -> [String] { ["--store", scratch / name, "--name", name] }
}
