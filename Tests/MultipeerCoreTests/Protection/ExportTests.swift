import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Exports, SPEC §9.8")
struct ExportTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("Both peers get the same bytes, others for another label, context or length, R9.8-1", arguments: roles)
    func same(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        var seen: Set<[UInt8]> = []
        for (label, context, length) in [
            ([0x61], [], 32), ([0x61, 0x62], [], 32), ([0x61], [0x62], 32), ([0x61], [], 33), ([0x61], [], 1),
            ([UInt8](repeating: 1, count: 255), [UInt8](repeating: 2, count: 1_024), 8_160),
        ] as [([UInt8], [UInt8], Int)] {
            let own = try duel.honest.link.export(label: label, context: context, length: length, at: duel.now)
            let theirs = try duel.evil.export(label: label, context: context, length: length)
            #expect(own == theirs && own.count == length)
            seen.insert(Array(own.prefix(32)))
        }
        #expect(seen.count == 6)
        let before = try duel.honest.link.export(label: [1], context: [], length: 32, at: duel.now)
        try duel.honest.link.rekey(at: duel.now)
        try duel.evil.sendRekey()
        try duel.exchange()
        #expect(try duel.honest.link.export(label: [1], context: [], length: 32, at: duel.now) == before)
    }

    @Test("Out of range, R9.8-1")
    func ranges() throws {
        let duel = try Duels.at(.open, honest: .initiator)
        for (label, context, length) in [(0, 0, 1), (256, 0, 1), (1, 1_025, 1), (1, 0, 0), (1, 0, 8_161), (1, 0, -1)] {
            #expect(throws: RequestError.invalidExport) {
                _ = try duel.honest.link.export(
                    label: [UInt8](repeating: 1, count: label), context: [UInt8](repeating: 1, count: context),
                    length: length, at: duel.now)
            }
        }
    }

    @Test("Labels of the specification are not for apps, R9.8-1")
    func labels() throws {
        let duel = try Duels.at(.open, honest: .initiator)
        for label in ["multipeer/", "multipeer/1 verification"] {
            #expect(throws: RequestError.invalidExport) {
                _ = try duel.honest.link.export(label: Array(label.utf8), context: [], length: 32, at: duel.now)
            }
        }
        let label = Array("multipeer.example".utf8)
        #expect(try duel.honest.link.export(label: label, context: [], length: 32, at: duel.now).count == 32)
    }

    @Test("The exporter secret is erased with the link, however it ends, R9.8-2", arguments: roles)
    func life(role: LinkRole) throws {
        for end in 0..<3 {
            let duel = try Duels.at(.open, honest: role)
            let kept = duel.honest.link.exportKeys
            let exports = try #require(kept)
            #expect(!exports.isEmpty)
            switch end {
            case 0: duel.honest.link.close(at: duel.now)
            case 1: try Duels.poke(duel, WireBytes.even)
            default: try duel.cut()
            }
            try duel.exchange()
            #expect(exports.isEmpty, "\(end)")
        }
    }

    @Test("Only while the link is open, R9.8-1, R9.8-2", arguments: Duel.Place.allCases)
    func stages(place: Duel.Place) throws {
        let duel = try Duels.at(place, honest: .responder)
        if place == .open {
            _ = try duel.honest.link.export(label: [1], context: [], length: 1, at: duel.now)
        } else {
            #expect(throws: RequestError.wrongStage(duel.stage)) {
                _ = try duel.honest.link.export(label: [1], context: [], length: 1, at: duel.now)
            }
        }
    }
}

extension Link {
    fileprivate var exportKeys: ExportKeys? { state.exports }
}
