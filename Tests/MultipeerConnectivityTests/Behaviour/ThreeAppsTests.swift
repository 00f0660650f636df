import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Apps with one session for all", .endsIfItHangs)
struct ThreeAppsTests {
    /// How often groups meet that come together by chance: `Scripts/test --deep groups` lets them meet more often.
    private static let rounds = ProcessInfo.processInfo.environment["MULTIPEER_FULL"] == "1" ? 50 : 3
    private static let names = ["Anna", "Ben", "Cleo", "Dora", "Emil", "Fred", "Gina", "Hugo"]

    private static func connected(_ apps: [App]) async throws {
        try await eventually {
            apps.allSatisfy { app in app.connected == apps.filter { $0 !== app }.map(\.id.displayName).sorted() }
        }
    }

    @Test("Three that all invite everybody are one session, with messages, resources and streams between each two")
    func everythingAtOnce() async throws {
        let service = App.service()
        let apps = ["Anna", "Ben", "Cleo"].map { App($0, service: service, invitesEverybody: true) }
        for app in apps { app.start() }
        try await Self.connected(apps)
        let scratch = try Scratch()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let file = URL(fileURLWithPath: try scratch.write("file", content))
        for app in apps {
            try app.session.send(Data("hello".utf8), toPeers: app.session.connectedPeers, with: .reliable)
            for peer in app.session.connectedPeers {
                app.session.sendResource(at: file, withName: "resource", toPeer: peer)
                let output = try app.session.startStream(withName: "stream", toPeer: peer)
                Self.write(content, output)
            }
        }
        for app in apps {
            let others = apps.filter { $0 !== app }
            try await eventually { app.messages.count == 2 && app.resources.count == 2 && app.streams.count == 2 }
            #expect(app.messages.sorted() == others.map { "\($0.id.displayName): hello" }.sorted())
            #expect(app.resources.keys.sorted() == others.map { "\($0.id.displayName): resource" }.sorted())
            #expect(app.resources.values.allSatisfy { $0 == Data(content) })
            for received in app.streams {
                #expect(received.name == "stream")
                let bytes = await Self.readAll(received)
                #expect(bytes == content)
            }
        }
        for app in apps {
            let others = apps.filter { $0 !== app }
            for other in others {
                let states = app.told.filter { $0.hasPrefix(other.id.displayName) }
                #expect(states == ["\(other.id.displayName) 1", "\(other.id.displayName) 2"], "\(states)")
            }
        }
    }

    @Test(
        "However the invitations of several cross, one session results, and nobody is connected, asked or notified twice",
        arguments: [3, 4, 5, 8])
    func crossing(count: Int) async throws {
        for _ in 1...Self.rounds {
            let service = App.service()
            let apps = Self.names.prefix(count).map { App($0, service: service, invitesEverybody: true) }
            for app in apps { app.start() }
            try await Self.connectedOnce(apps)
        }
    }

    @Test("The same holds for apps that have found each other", arguments: [4, 5])
    func crossingOfMany(count: Int) async throws {
        for _ in 1...Self.rounds {
            let service = App.service()
            let apps = Self.names.prefix(count).map { App($0, service: service) }
            for app in apps { app.start() }
            try await eventually { apps.allSatisfy { $0.found.count >= count - 1 } }
            for app in apps {
                for peer in app.found where peer != app.id {
                    app.browser.invitePeer(peer, to: app.session, withContext: nil, timeout: 30)
                }
            }
            try await Self.connectedOnce(apps)
        }
    }

    private static func connectedOnce(_ apps: [App]) async throws {
        try await connected(apps)
        for app in apps {
            for other in apps where other !== app {
                let name = other.id.displayName
                try await eventually { app.told.contains("\(name) 2") }
                let told = app.told.filter { $0.hasPrefix(name) }
                #expect(told == ["\(name) 1", "\(name) 2"], "\(app.id.displayName): \(app.told), \(app.reasons)")
                #expect(app.asked.count { $0 == name } <= 1)
            }
        }
        for app in apps { app.session.disconnect() }
    }

    @Test(
        "Several that all connect to each other by exchanged data are one session at once",
        arguments: [3, 4, 5])
    func connecting(count: Int) async throws {
        for _ in 1...Self.rounds {
            let devices = Self.names.prefix(count).map { Device($0) }
            var data: [Data] = []
            for device in devices { data.append(try await device.connectionData(for: device.id)) }
            for device in devices {
                for (other, data) in zip(devices, data) where other !== device {
                    device.session.connectPeer(other.id.publicCopy, withNearbyConnectionData: data)
                }
            }
            do {
                try await eventually { devices.allSatisfy { $0.connected.count == count - 1 } }
            } catch {
                Issue.record("connected: \(devices.map(\.connected))")
                throw error
            }
            for device in devices {
                for other in devices where other !== device {
                    try await eventually { device.told.states(of: other.id).last == .connected }
                    #expect(device.told.states(of: other.id) == [.connecting, .connected])
                }
            }
            for device in devices { device.session.disconnect() }
        }
    }

    @Test("An app that invites a member of a session joins that session, if its app accepts")
    func lateComer() async throws {
        // One of thirty knew the third one by the digits of its key: the session reported it before its name was known.
        for _ in 0..<20 { try await comeLate() }
    }

    private func comeLate() async throws {
        let service = App.service()
        let apps = ["Anna", "Ben", "Cleo"].map { App($0, service: service) }
        for app in apps { app.start() }
        try await apps[0].invite(apps[1])
        try await Self.connected(Array(apps.prefix(2)))
        try await apps[2].invite(apps[1])
        try await Self.connected(apps)
        try apps[2].send("hello", to: apps[0], apps[1])
        try await eventually { apps[0].messages == ["Cleo: hello"] && apps[1].messages == ["Cleo: hello"] }
        #expect(apps[2].reasons.isEmpty && apps[1].reasons.isEmpty)
        for app in apps { app.session.disconnect() }
    }

    @Test("A peer that was lost, left or stopped advertising can be invited again at once")
    func again() async throws {
        let service = App.service()
        let (anna, ben) = (App("Anna", service: service), App("Ben", service: service))
        ben.start()
        anna.start()
        for round in 1...4 {
            try await anna.invite(ben)
            try await Self.connected([anna, ben])
            try ben.send("\(round)", to: anna)
            try await eventually { anna.messages.last == "Ben: \(round)" }
            (round % 2 == 0 ? anna : ben).session.disconnect()
            try await eventually { anna.connected == [] && ben.connected == [] }
            try await eventually { anna.told.last == "Ben 0" && ben.told.last == "Anna 0" }
        }
        #expect(anna.told == Array(repeating: ["Ben 1", "Ben 2", "Ben 0"], count: 4).flatMap(\.self))
        #expect(ben.told == Array(repeating: ["Anna 1", "Anna 2", "Anna 0"], count: 4).flatMap(\.self))
        // And once more after it has stopped to advertise and begun again.
        ben.advertiser.stopAdvertisingPeer()
        try await eventually { !anna.found.contains(ben.id) }
        ben.advertiser.startAdvertisingPeer()
        try await anna.invite(ben)
        try await Self.connected([anna, ben])
    }

    // MARK: Streams

    private static func write(_ bytes: [UInt8], _ output: OutputStream) {
        nonisolated(unsafe) let output = output
        Thread.detachNewThread {
            output.open()
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBufferPointer { output.write($0.baseAddress!, maxLength: $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
            output.close()
        }
    }

    private static func readAll(_ received: App.Received) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                received.stream.open()
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
                while true {
                    let count = received.stream.read(&buffer, maxLength: buffer.count)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
    }
}
