import Foundation
import Glibc
import MultipeerTestSupport

/// Connections that say nothing, for as long as this lives.
final class HeldSockets {
    private let descriptors: [Int32]

    /// Makes as many from each of several addresses of this host, `127.0.0.1` and those after it.
    init(_ count: Int, fromEachOf sources: ClosedRange<UInt32> = 1...1, to address: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Tool.Failure(description: "no port in \(address)")
        }
        descriptors = sources.flatMap { source in (0..<count).map { _ in Self.connect(from: source, to: port) } }
        guard !descriptors.contains(-1) else { throw Tool.Failure(description: "cannot connect") }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Waits until the remote end has closed all of them. False if one of them says something.
    func areClosed() -> Bool {
        var byte: UInt8 = 0
        return descriptors.allSatisfy { read($0, &byte, 1) <= 0 }
    }

    private static func connect(from source: UInt32, to port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected =
            withName(of: source, port: 0) { bind(descriptor, $0, $1) } == 0
            && withName(of: 1, port: port) { Glibc.connect(descriptor, $0, $1) } == 0
        guard isConnected else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// A port of an address of this host, as the system's calls want it.
    private static func withName(
        of host: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = (0x7F00_0000 + host).bigEndian
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

extension Tool {
    /// The descriptors that the process has open.
    var descriptors: [Int] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd")
        return (names ?? []).compactMap { Int($0) }
    }

    /// Waits until every thread of the process sleeps while none of its descriptors below a limit is free. A thread that tries again
    /// and again is never seen asleep, however often one looks, so one look is enough.
    ///
    /// - Throws: `Failure` with what was seen last, if the process ends or the test's time is over.
    func sleepsWithoutDescriptors(below limit: Int) async throws {
        var seen = ""
        do {
            try await eventually {
                let (open, states) = (descriptors.filter { $0 < limit }, states())
                seen = "threads \(states.joined()), descriptors \(open.sorted())\n\(shown)\n\(warnings)"
                guard isRunning else { throw Failure(description: "the process has ended; \(seen)") }
                return open.count == limit && states.allSatisfy { $0 == "S" }
            }
        } catch is CancellationError {
            throw Failure(description: seen)
        }
    }

    private func states() -> [Substring] {
        let folder = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.compactMap { thread in
            let stat = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
            return stat?.split(separator: ")").last?.split(separator: " ").first
        }
    }
}
