public import FuzzSupport
import MultipeerVectors
import MultipeerWire

extension FuzzTarget {
    /// The manifest of a folder, against a model of R15.8-1: it is good for both, with the same members, or bad for both; and
    /// one that is good is written again as it was.
    public static let manifest = FuzzTarget(
        name: "Manifest", maximumLength: 2_048, memory: MemoryBudget(base: 524_288, perByte: 1_024),
        minimumFeatures: 2_500,
        seeds: { ManifestSeeds.make($0) }, run: { try judge($0) })

    private static func judge(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        // 0: bytes as they are. Otherwise members are built, most of them nearly right.
        let isBuilt = choices.byte() & 1 == 1
        let shift = choices.byte()
        let bytes = isBuilt ? ManifestBuilder.make(&choices) : choices.rest()
        let model = ModelManifest(bytes)
        // The size that is right; or one more, one less, or far off.
        let right = model.total ?? UInt64(bytes.count)
        let size = shift < 0xC0 ? right : shift < 0xE0 ? right + 1 : shift < 0xF0 ? max(right, 1) - 1 : UInt64(shift)
        guard size <= 9_007_199_254_740_991 else { return }
        let members: [FolderMember]?
        do { members = try FolderManifest(encoded: bytes.span, offerSize: size).members } catch { members = nil }
        let expected = model.isGood(for: size) ? model.members : nil
        try requireEqual(members?.map(ModelMember.init), expected, "members, for \(size) bytes")
        guard let members else { return }
        try requireEqual(FolderManifest(members: members).encoded, bytes, "the manifest, written again")
    }
}

/// Manifests to begin with.
enum ManifestSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let whole = vectors.cases(named: "Manifest").compactMap { $0.test.inputs.bytes("manifest") }.filter {
            $0.count < 2_000
        }
        return whole.map { [0, 0] + $0 } + [
            [1, 0, 0, 3, 1, 0, 1, 4, 2, 2, 0, 0, 3],
            [1, 0, 0x40, 9, 2, 0, 0x41, 7, 2, 3, 0x42, 7],
            [1, 0xC0, 0, 0, 0, 5, 0, 0, 0, 5], [1, 0, 0xF0, 1, 0xF1, 2, 0xF2, 3, 0xF3, 4], [0, 0], [1, 0],
            [1, 0, 0x80, 5, 0x81, 5, 0x82, 5, 0x83, 5, 0x84, 5, 0x85, 5],
        ]
    }
}
