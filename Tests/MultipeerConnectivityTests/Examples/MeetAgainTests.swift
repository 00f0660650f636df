import Foundation
import MultipeerTestSupport
import Testing

@Suite("Unchanged apps that are started again, as processes", .endsIfItHangs)
struct MeetAgainTests {
    @Test("Each of two is restarted twice, and both are connected again", arguments: ["turns", "word"])
    func restarts(app: String) async throws { try await MeetAgainTests.restarts(app) }

    /// Each app that invites everybody meets all others that do. So these tests run one after the other.
    @Suite("An unchanged app that invites everybody, as a process", .serialized, .endsIfItHangs)
    struct EverybodyTests {
        @Test("Each of two is restarted twice, and both are connected again")
        func restarts() async throws { try await MeetAgainTests.restarts("everybody") }

        /// What is not withdrawn is seen for two minutes, which this suite does not take.
        @Test("An app that exits without notice while it advertises is no longer nearby for others")
        func goodbye() async throws {
            let (anna, ben) = (ownName("Anna"), ownName("Ben"))
            let programs = try [anna, ben].map { try Program("MeetAgain", ["everybody", $0]) }
            try await programs[0].sees("\(ben) is nearby")
            #expect(await programs[1].ends() == 0)
            try await programs[0].sees("\(ben) is not nearby")
            #expect(await programs[0].ends() == 0)
        }
    }

    private static func restarts(_ app: String) async throws {
        let names = [ownName("Anna"), ownName("Ben")]
        let homes = [try Scratch(), try Scratch()]
        var programs = try zip(names, homes).map { try Program("MeetAgain", [app, $0], home: $1) }
        for (program, other) in zip(programs, names.reversed()) { try await program.sees("\(other): hello") }
        for round in 0..<4 {
            // One after the other, by a crash and by an end without goodbye.
            let index = round % 2
            if round < 2 {
                // What it keeps is on the disk by then.
                if app == "turns" { try await eventually { homes[index].hasDefaults } }
                programs[index].crash()
            } else {
                #expect(await programs[index].ends() == 0)
            }
            programs[index] = try Program("MeetAgain", [app, names[index]], home: homes[index])
            if app == "turns" { try await programs[index].sees("the same peer") }
            for (program, other) in zip(programs, names.reversed()) { try await program.sees("\(other): hello") }
        }
        for program in programs { #expect(await program.ends() == 0) }
        // Another key came last under the name of Ben, and Anna has said so, unless the app judges certificates or keeps its peer ID.
        #expect(
            programs[0].shown.contains("\(names[1]) comes with the key") == (app == "everybody"), "\(programs[0].shown)"
        )
    }
}

extension Scratch {
    /// Whether the defaults of a program whose home this is are on the disk.
    fileprivate var hasDefaults: Bool {
        let folder = (try? FileManager.default.contentsOfDirectory(atPath: self / "config")) ?? []
        return folder.contains { $0.hasPrefix("MeetAgain") }
    }
}
