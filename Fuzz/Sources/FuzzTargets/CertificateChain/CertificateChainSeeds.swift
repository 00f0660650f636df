import FuzzSupport
import MultipeerVectors
import MultipeerWire

/// Every leaf with what it needs, as choices and as payloads; each kind of signature; the payloads of the vectors.
enum CertificateChainSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let setting: [UInt8] = [0, 0, 0, 0]
        let chains = GenuineLeaf.all.map { [$0.name] + $0.authorities }
        let payloads = chains.map { names in
            let ders = names.map { Fixtures.authority[$0] ?? [] }
            var writer = Writer()
            Certificates(chain: ders, algorithm: 0x0807, signature: []).write(&writer)
            return [0] + setting + writer.bytes
        }
        let framed = vectors.bytes(of: .controlFrame, "payload").filter { $0.count < 2_000 }.map { [0] + setting + $0 }
        let bindings = (0..<4).flatMap { kind in
            [[2, kind, 0, 0, 0, 0], [2, kind, 0, 1, 0, 9, 1, 0, 0], [2, kind, 0, 5, 0, 1, 1, 0, 0, 0]] as [[UInt8]]
        }
        // Each chain under each clock, and with each name.
        let times = (1..<12).map { [$0, 0, 0, 0] as [UInt8] }
        let names = (1..<11).map { [0, 0, $0, 0] as [UInt8] }
        let settings = times + names + [[0, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 3]]
        // Each validator, with each leaf, under the name that it certifies and as a host.
        let validators = (0..<UInt8(GenuineLeaf.all.count)).flatMap { leaf in
            (0..<3).map { [3, leaf % 5, leaf, 0, 1, 0, $0, 3, 0, 1, 0, leaf, 0, 1, 0] as [UInt8] }
        }
        return chains.flatMap { choices($0, setting) } + payloads + framed + bindings + validators
            + settings.flatMap { setting in chains.map { choices($0, setting)[0] } }
    }

    private static func choices(_ names: [String], _ setting: [UInt8]) -> [[UInt8]] {
        let picks = names.compactMap { Fixtures.authorityNames.firstIndex(of: $0) }.map { UInt8($0) }
        let plain = [1] + setting + [UInt8(picks.count)] + picks.flatMap { [$0, 0] }
        // The last one changed: one change, of a byte in some element.
        let edit: [UInt8] = [5, 1, 9, 10, 0, 1]
        let changed =
            [1] + setting + [UInt8(picks.count)] + picks.dropLast().flatMap { [$0, 0] } + [picks.last ?? 0] + edit
        return [plain, changed]
    }
}
