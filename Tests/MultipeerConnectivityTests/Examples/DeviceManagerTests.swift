import MultipeerTestSupport
import Testing

@Suite("The manager of devices, as processes", .endsIfItHangs)
struct DeviceManagerTests {
    private let group = ownName("group")

    private func device(_ name: String) throws -> Program { try Program("DeviceManager", ["device", name, group]) }

    private func manager(_ way: String, _ name: String) throws -> Program {
        try Program("DeviceManager", ["manage", way, name, group])
    }

    @Test(
        "With one session for each device, devices see only the manager; with one for all, they see each other",
        arguments: ["each", "shared"])
    func sessions(way: String) async throws {
        let names = [ownName("Lamp"), ownName("Radio")]
        let devices = try names.map { try device($0) }
        let boss = ownName("Boss")
        let manager = try manager(way, boss)
        // Each by a session of its own, or both by one.
        try await manager.sees(" is connected")
        try await manager.sees(" is connected")
        for (device, name) in zip(devices, names) {
            try await device.sees("Connected with \(boss)")
            if way == "shared" {
                try await eventually { names.allSatisfy { $0 == name || device.shown.contains("with \($0)") } }
            }
            manager.type("report \(name)")
            let others = way == "each" ? [boss] : ([boss] + names.filter { $0 != name }).sorted()
            let line = try await manager.sees("\(name) has run for ")
            #expect(line.hasSuffix(" sees " + others.joined(separator: ", ")))
        }
        manager.type("report")
        try await manager.sees("Asked 2")
        // One leaves because it is asked to, and is invited again.
        manager.type("leave \(names[0])")
        try await devices[0].sees("No longer connected with \(boss)")
        try await manager.sees("\(names[0]) is not connected")
        manager.type("invite \(names[0])")
        try await devices[0].sees("Connected with \(boss)")
        try await manager.sees("\(names[0]) is connected")
        devices[1].crash()
        try await manager.sees("\(names[1]) is not connected")
        manager.type("report")
        try await manager.sees("Asked 1")
        #expect(await manager.ends(typing: "quit") == 0)
        try await devices[0].sees("No longer connected with \(boss)")
    }
}
