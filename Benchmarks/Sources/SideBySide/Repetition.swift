import MultipeerWire
import Workloads

/// One piece of work over and over, for a profiler: `SideBySide --repeat message aes 64 100000`.
struct Repetition {
    let peers: Peers

    /// - Parameter arguments: `record`, `message`, `burst` (16 messages at once), `tls`, `socket`, `session`, `handshake` or `frames`; `chacha` or `aes`, which a session
    ///   chooses itself; bytes; how often.
    func run(_ arguments: [String]) throws {
        guard arguments.count == 4, let length = Int(arguments[2]), let count = Int(arguments[3]) else {
            throw WorkloadFailure.wrongResult
        }
        let suite: Suite = arguments[1] == "aes" ? .aesGCM : .chaChaPoly
        switch arguments[0] {
        case "record":
            var layer = try RecordLayer(peers, suite: suite, length: length)
            try layer.run(count)
        case "message":
            var pair = try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil)
            try pair.open()
            let message = [UInt8](repeating: 7, count: length)
            for _ in 0..<count { try pair.transfer(message) }
        case "burst":
            var pair = try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil)
            try pair.open()
            let message = [UInt8](repeating: 7, count: length)
            for _ in 0..<count / 16 { try pair.transfer(message, burst: 16) }
        case "tls":
            let message = [UInt8](repeating: 7, count: length)
            var sink = message
            try TLSReference.Connection(TLSReference(peers, suite: suite)).transfer(message, into: &sink, count)
        case "socket": try NIOTransfer(peers, suite: suite, length: length).run(count)
        case "session": try SessionMessages(length: length).run(count)
        case "handshake":
            let paths = try peers.pathValidator()
            for _ in 0..<count {
                var pair = try LinkedPair(peers, suite: suite, proof: .validatedPaths, paths: paths)
                try pair.open()
            }
        default:
            print(try FrameDecoding(frameLength: length).run(count))
        }
    }
}
