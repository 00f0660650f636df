import Glibc
import MultipeerTestSupport

/// Two processes on loopback: one listens for one link, the other connects to it.
struct Meeting: Sendable {
    let listener: Tool.Finished
    let connector: Tool.Finished

    /// Both exit statuses.
    var statuses: [Int32] { [listener.status, connector.status] }

    /// The listener takes all invitations unless its arguments say otherwise.
    static func run(listen: [String] = [], connect: [String] = []) async throws -> Meeting {
        let acceptance = listen.contains("--accept") ? [] : ["--accept", "all"]
        let listener = try Tool(["listen", "--port", "0", "--once", "--json"] + acceptance + listen)
        let address = try await listener.address()
        let connector = try await Tool.run(["connect", address, "--json"] + connect)
        return Meeting(listener: await listener.finish(), connector: connector)
    }

    /// A meeting that fails before the listener has identified the peer. Such a peer does not count for --once, so the
    /// listener is interrupted once it has reported the failure.
    static func runUnidentified(listen: [String] = [], connect: [String] = []) async throws -> Meeting {
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"] + listen)
        let address = try await listener.address()
        let connector = try await Tool.run(["connect", address, "--json"] + connect)
        _ = try await listener.event("failed")
        listener.send(SIGINT)
        return Meeting(listener: await listener.finish(), connector: connector)
    }

    /// Both peers trust everybody.
    static func runUnverified(listen: [String] = [], connect: [String] = []) async throws -> Meeting {
        try await run(listen: ["--accept-unverified"] + listen, connect: ["--accept-unverified"] + connect)
    }
}

/// An identity in a folder of its own.
struct Person: Sendable {
    let scratch: Scratch
    let peerID: String

    var store: [String] { ["--store", scratch.path] }

    init(_ name: String) async throws {
        scratch = try Scratch()
        let made = try await Tool.run(["identity", "create", name, "--store", scratch.path, "--json"])
        guard made.status == 0, let peer = made.events.first("identity")?["peer"]?.string else {
            throw Tool.Failure(description: made.errors)
        }
        peerID = peer
    }
}
