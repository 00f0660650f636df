import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Rule 9: resources", .endsIfItHangs)
struct ResourceRuleTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func file(_ name: String, _ count: Int) throws -> URL {
        URL(fileURLWithPath: try scratch.write(name, (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }))
    }

    /// Does something whose progress becomes one unit of another's, as apps do in one thread.
    private static func part(of parent: Progress, _ body: () throws -> Progress?) rethrows -> Progress? {
        parent.becomeCurrent(withPendingUnitCount: 1)
        defer { parent.resignCurrent() }
        return try body()
    }

    /// A file without content that takes longer than a test needs.
    private func longFile() throws -> URL {
        let url = try file("long", 1)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 1_000_000_000)
        try handle.close()
        return url
    }

    /// What a completion handler heard, if it was called.
    private final class Outcome: Sendable {
        private let all = Mutex<[(any Error)?]>([])
        func note(_ error: (any Error)?) { all.withLock { $0.append(error) } }
        var isKnown: Bool { all.withLock { !$0.isEmpty } }
        var count: Int { all.withLock { $0.count } }
        var error: (any Error)? { all.withLock { $0.first ?? nil } }
        var code: MCError.Code? { (error as? MCError)?.code }
    }

    @Test(
        "A file is sent to one peer; it stays for a minute after the delegate's method has returned",
        arguments: [0, 1, 3_000_000])
    func file(count: Int) async throws {
        let clock = ManualClock()
        let (anna, ben) = (Device("Anna"), Device("Ben", clock: clock))
        try await Device.connect(anna, ben)
        let (source, outcome) = (try file("source", count), Outcome())
        let progress = try #require(
            anna.session.sendResource(at: source, withName: "a name/with: all", toPeer: ben.id) { outcome.note($0) })
        try await eventually { outcome.isKnown && !ben.told.finished.isEmpty }
        #expect(outcome.error == nil && outcome.count == 1)
        let received = try #require(ben.told.finished.first)
        #expect(received.name == "a name/with: all" && received.error == nil)
        #expect(received.content == (try Data(contentsOf: source)))
        let place = try #require(received.place)
        try await eventually { clock.isAwaited(in: .seconds(60)) }
        #expect(try Data(contentsOf: place) == Data(contentsOf: source))
        clock.advance(by: .seconds(60))
        try await eventually { !FileManager.default.fileExists(atPath: place.path) }
        #expect(progress.isFinished && progress.fractionCompleted == 1)
        // It hears that it begins before it hears that it ends.
        let order = ben.told.events.compactMap { event in
            switch event {
            case .resource: "begin"
            case .finished: "end"
            default: nil
            }
        }
        #expect(order == ["begin", "end"])
        #expect(ben.told.progresses.first?.isFinished == true)
    }

    @Test("Of the files that no app moves only a limited number stay")
    func unmoved() async throws {
        let (anna, ben) = (Device("Anna"), Device("Ben", clock: ManualClock()))
        try await Device.connect(anna, ben)
        let source = try file("source", 1)
        for number in 1...70 {
            anna.session.sendResource(at: source, withName: "source", toPeer: ben.id)
            try await eventually { ben.told.finished.count == number }
        }
        let places = ben.told.finished.compactMap(\.place)
        #expect(Set(places).count == 70)
        try await eventually { places.count { FileManager.default.fileExists(atPath: $0.path) } == 64 }
        #expect(FileManager.default.fileExists(atPath: places[69].path))
    }

    @Test("A file that no app has moved is gone when the process has exited")
    func ended() async throws {
        let end = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let scratch = try Scratch()
            let (anna, ben) = try await Device.pair()
            anna.session.sendResource(
                at: URL(fileURLWithPath: try scratch.write("source", [1, 2, 3])), withName: "source", toPeer: ben.id)
            try await eventually { ben.told.finished.count == 1 }
            let place = try #require(ben.told.finished.first?.place)
            // The delegate's method has returned when the next one is called.
            try anna.send("after", to: ben)
            try await eventually { !ben.told.messages(from: anna.id).isEmpty }
            guard FileManager.default.fileExists(atPath: place.path) else { exit(1) }
            print("at:" + place.path)
            fflush(nil)
            exit(0)
        }
        let said = String(decoding: end?.standardOutputContent ?? [], as: UTF8.self)
        let path = try #require(said.split(separator: "\n").first { $0.hasPrefix("at:") }).dropFirst(3)
        #expect(!FileManager.default.fileExists(atPath: String(path)))
    }

    @Test("A file that the delegate has moved stays")
    func moved() async throws {
        let (anna, ben) = (Device("Anna"), Mover(to: URL(fileURLWithPath: scratch / "kept")))
        try await Device.connect(anna, ben.device)
        ben.begin()
        anna.session.sendResource(at: try file("source", 10), withName: "source", toPeer: ben.device.id)
        try await eventually { ben.isDone }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: scratch / "kept")) == Data(contentsOf: try file("source", 10)))
    }

    @Test("Both peers see the same progress, and a parent includes it")
    func progress() async throws {
        let (anna, ben) = try await Device.pair()
        let parent = Progress(totalUnitCount: 2)
        let child = try Self.part(of: parent) {
            anna.session.sendResource(at: try file("source", 2_000_000), withName: "a", toPeer: ben.id)
        }
        try await eventually { !ben.told.finished.isEmpty && child?.isFinished == true }
        #expect(parent.fractionCompleted == 0.5)
        #expect(child?.totalUnitCount == 2_000_000 && child?.completedUnitCount == 2_000_000)
        #expect(ben.told.progresses.first?.totalUnitCount == 2_000_000)
        // One that the app adds itself.
        let other = Progress(totalUnitCount: 1)
        let second = try #require(
            anna.session.sendResource(at: try file("second", 1_000), withName: "b", toPeer: ben.id))
        other.addChild(second, withPendingUnitCount: 1)
        try await eventually { other.isFinished }
    }

    @Test("During a transfer both peers see its speed and the remaining time")
    func speed() async throws {
        let (anna, ben) = try await Device.pair()
        let sent = try #require(anna.session.sendResource(at: try longFile(), withName: "long", toPeer: ben.id))
        try await eventually { !ben.told.progresses.isEmpty }
        let received = try #require(ben.told.progresses.first)
        for progress in [sent, received] {
            try await eventually { progress.throughput ?? 0 > 0 && progress.estimatedTimeRemaining != nil }
            #expect(progress.totalUnitCount == 1_000_000_000 && progress.kind == .file)
            #expect(progress.fractionCompleted < 1 && !progress.isFinished)
        }
        sent.cancel()
        try await eventually { !ben.told.finished.isEmpty }
    }

    @Test("Cancelling a parent cancels the resources that are its parts")
    func cancelledByParent() async throws {
        let (anna, ben) = try await Device.pair()
        let (outcomes, parent, source) = ([Outcome(), Outcome()], Progress(totalUnitCount: 2), try longFile())
        for outcome in outcomes {
            let child = Self.part(of: parent) {
                anna.session.sendResource(at: source, withName: "long", toPeer: ben.id) { outcome.note($0) }
            }
            #expect(child != nil)
        }
        try await eventually { ben.told.progresses.count == 2 }
        parent.cancel()
        try await eventually { outcomes.allSatisfy(\.isKnown) && ben.told.finished.count == 2 }
        #expect(outcomes.allSatisfy { $0.code == .cancelled && $0.count == 1 })
        #expect(ben.told.finished.allSatisfy { ($0.error as? MCError)?.code == .cancelled })
        #expect(parent.isCancelled && !parent.isFinished)
    }

    @Test("A file that vanishes before its turn is an error of its handler, and the others arrive")
    func vanished() async throws {
        let (anna, ben) = try await Device.pair()
        // More than go at a time, and fewer than the 32 offers in a minute that may fail (SPEC §15.3).
        let gate = ben.told.block()
        let sources = try (0..<24).map { try file("part \($0)", 100_000 + $0) }
        let outcomes = sources.map { _ in Outcome() }
        for (source, outcome) in zip(sources, outcomes) {
            anna.session.sendResource(at: source, withName: source.lastPathComponent, toPeer: ben.id) {
                outcome.note($0)
            }
        }
        for source in sources { try FileManager.default.removeItem(at: source) }
        gate.signal()
        try await eventually { outcomes.allSatisfy(\.isKnown) }
        let failed = outcomes.filter { $0.error != nil }
        for outcome in failed {
            #expect(outcome.code == .unavailable && outcome.count == 1, "\(outcome.error.map { "\($0)" } ?? "")")
        }
        try await eventually { ben.told.finished.count { $0.error == nil } == outcomes.count - failed.count }
        for (index, outcome) in outcomes.enumerated() where outcome.error == nil {
            #expect(ben.told.finished.first { $0.name == "part \(index)" }?.content?.count == 100_000 + index)
        }
        try anna.send("after", to: ben)
        try await eventually { ben.told.texts(from: anna.id) == ["after"] }
    }

    @Test("Either peer cancels by its progress, and both are notified", arguments: [true, false])
    func cancelled(bySender: Bool) async throws {
        let (anna, ben) = try await Device.pair()
        let outcome = Outcome()
        let progress = try #require(
            anna.session.sendResource(at: try longFile(), withName: "long", toPeer: ben.id) { outcome.note($0) })
        try await eventually { !ben.told.progresses.isEmpty }
        bySender ? progress.cancel() : ben.told.progresses.first?.cancel()
        try await eventually { outcome.isKnown && !ben.told.finished.isEmpty }
        #expect(outcome.code == .cancelled)
        #expect((ben.told.finished.first?.error as? MCError)?.code == .cancelled)
        #expect(ben.told.finished.first?.place == nil)
        // The session continues.
        try anna.send("after", to: ben)
        try await eventually { ben.told.texts(from: anna.id) == ["after"] }
        #expect(outcome.count == 1 && ben.told.finished.count == 1)
    }

    @Test("A receiver that cancels as soon as a file is announced has cancelled it; its disk is not blamed")
    func cancelledAtOnce() async throws {
        let (anna, ben) = try await Device.pair()
        let gate = ben.told.block()
        let outcome = Outcome()
        // Before the delegate's method has returned, nothing of the file has been accepted or it has just been.
        anna.session.sendResource(at: try longFile(), withName: "long", toPeer: ben.id) { outcome.note($0) }
        try await eventually { !ben.told.progresses.isEmpty }
        ben.told.progresses.first?.cancel()
        gate.signal()
        try await eventually { outcome.isKnown && !ben.told.finished.isEmpty }
        #expect(outcome.code == .cancelled)
        #expect((ben.told.finished.first?.error as? MCError)?.code == .cancelled)
    }

    @Test(
        "A URL that is neither a file nor a web page is unsupported",
        arguments: ["ftp://127.0.0.1/a", "data:,a", "nonsense:", "a-relative-path"])
    func unsupported(text: String) async throws {
        let (anna, ben) = try await Device.pair()
        let (outcome, url) = (Outcome(), try #require(URL(string: text)))
        #expect(anna.session.sendResource(at: url, withName: "a", toPeer: ben.id) { outcome.note($0) } == nil)
        try await eventually { outcome.isKnown }
        #expect(outcome.code == .unsupported)
        #expect(ben.told.finished.isEmpty)
    }

    @Test("A folder is unsupported")
    func folder() async throws {
        let (anna, ben) = try await Device.pair()
        let outcome = Outcome()
        let folder = URL(fileURLWithPath: scratch.path)
        #expect(anna.session.sendResource(at: folder, withName: "a", toPeer: ben.id) { outcome.note($0) } == nil)
        try await eventually { outcome.isKnown }
        #expect(outcome.code == .unsupported && ben.told.progresses.isEmpty)
    }

    @Test("A missing file, an unreadable one, and a peer that is not connected are errors of the completion handler")
    func unavailable() async throws {
        let (anna, ben) = try await Device.pair()
        let (gone, stranger) = (Outcome(), Outcome())
        anna.session.sendResource(
            at: URL(fileURLWithPath: scratch / "nothing"), withName: "a", toPeer: ben.id
        ) { gone.note($0) }
        anna.session.sendResource(
            at: try file("source", 1), withName: "a", toPeer: MCPeerID(displayName: "Cleo")
        ) { stranger.note($0) }
        try await eventually { gone.isKnown && stranger.isKnown }
        #expect(gone.code == .unavailable && stranger.code == .notConnected)
        #expect(ben.told.finished.isEmpty)
    }

    @Test("A file that is truncated while it is sent stops for both peers with an error")
    func shortened() async throws {
        let (anna, ben) = try await Device.pair()
        let (source, outcome) = (try longFile(), Outcome())
        anna.session.sendResource(at: source, withName: "long", toPeer: ben.id) { outcome.note($0) }
        try await eventually { !ben.told.progresses.isEmpty }
        let handle = try FileHandle(forWritingTo: source)
        try handle.truncate(atOffset: 10)
        try handle.close()
        try await eventually { outcome.isKnown && !ben.told.finished.isEmpty }
        #expect(outcome.error != nil && ben.told.finished.first?.error != nil)
        #expect(ben.told.finished.first?.place == nil)
    }

    @Test("If a peer leaves, its transfers end with an error, and every handler is called")
    func disconnected() async throws {
        let (anna, ben) = try await Device.pair()
        let outcome = Outcome()
        anna.session.sendResource(at: try longFile(), withName: "long", toPeer: ben.id) { outcome.note($0) }
        try await eventually { !ben.told.progresses.isEmpty }
        ben.session.disconnect()
        try await eventually { outcome.isKnown }
        #expect(outcome.error != nil && outcome.count == 1)
        try await eventually { ben.told.finished.count == 1 }
        #expect(ben.told.finished.first?.error != nil)
    }

    @Test("Several files are sent at a time, in both directions")
    func several() async throws {
        let (anna, ben) = try await Device.pair()
        let outcomes = (0..<6).map { _ in Outcome() }
        for (number, outcome) in outcomes.enumerated() {
            let (sender, receiver) = number % 2 == 0 ? (anna, ben) : (ben, anna)
            sender.session.sendResource(
                at: try file("source \(number)", 100_000 * number), withName: "\(number)", toPeer: receiver.id
            ) { outcome.note($0) }
        }
        try await eventually { outcomes.allSatisfy(\.isKnown) }
        #expect(outcomes.allSatisfy { $0.error == nil })
        try await eventually { anna.told.finished.count == 3 && ben.told.finished.count == 3 }
        #expect(Set(ben.told.finished.map(\.name)) == ["0", "2", "4"])
    }
}

/// A device that moves what it gets, as apps must.
private final class Mover: Sendable {
    let device = Device("Ben")
    private let place: URL
    private let done = Mutex(false)

    init(to place: URL) { self.place = place }

    var isDone: Bool { done.withLock { $0 } }

    func begin() {
        device.told.whenTold { [self] in
            guard case .finished(_, _, _, let url?, _)? = device.told.events.last else { return }
            try? FileManager.default.moveItem(at: url, to: place)
            done.withLock { $0 = true }
        }
    }
}
