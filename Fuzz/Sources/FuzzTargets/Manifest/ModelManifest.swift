import FuzzSupport
import MultipeerWire

/// A member of a folder (SPEC §15.8).
struct ModelMember: Equatable {
    let type: UInt8
    let size: UInt64
    let modified: UInt64
    let path: [UInt8]

    var encoded: [UInt8] {
        [type] + ModelSent.varint(size) + ModelSent.varint(modified) + ModelSent.vector(path)
    }

    /// The parts, of which some may be empty.
    var parts: [[UInt8]] { path.split(separator: 0x2F, omittingEmptySubsequences: false).map(Array.init) }
}

extension ModelMember {
    init(_ member: FolderMember) {
        self.init(type: member.kind.rawValue, size: member.size, modified: member.modified, path: member.path)
    }
}

/// A manifest, judged by R15.8-1 as a whole: all paths are compared with all.
struct ModelManifest {
    /// Nil if it does not decode.
    private(set) var members: [ModelMember]?
    private let count: UInt64

    init(_ bytes: [UInt8]) {
        count = UInt64(bytes.count)
        var reader = ModelReader(bytes)
        var members: [ModelMember] = []
        while !reader.rest.isEmpty {
            guard let member = try? reader.member() else { return }
            members.append(member)
        }
        self.members = members
    }

    /// The size of the offer that fits; nil if there is none.
    var total: UInt64? {
        guard let members else { return nil }
        var total = count
        for member in members {
            let (sum, overflows) = total.addingReportingOverflow(member.size)
            if overflows { return nil }
            total = sum
        }
        return total
    }

    func isGood(for size: UInt64) -> Bool {
        guard let members, members.count <= 65_536, total == size else { return false }
        let paths = members.map(\.path)
        guard members.allSatisfy(Self.isSound),
            zip(paths, paths.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) })
        else { return false }
        let files = members.filter { $0.type != 2 }.map { $0.path + [0x2F] }
        guard !paths.contains(where: { path in files.contains { path.starts(with: $0) } }) else { return false }
        var folders = 0
        var before: [[UInt8]] = []
        for here in members.lazy.map(\.parts) {
            let shared = zip(before, here).prefix { $0 == $1 }.count
            folders += max(here.count - 1 - shared, 0)
            before = here
        }
        return folders <= 65_536
    }

    /// What a member must be by itself.
    private static func isSound(_ member: ModelMember) -> Bool {
        let parts = member.parts
        return (member.type != 2 || member.size == 0) && parts.count <= 32
            && parts.allSatisfy { !$0.isEmpty && $0.count <= 255 && $0 != [0x2E] && $0 != [0x2E, 0x2E] }
    }
}

extension ModelReader {
    fileprivate mutating func member() throws(ModelFault) -> ModelMember {
        let (type, size, modified) = (try byte(), try varint(), try varint())
        guard type <= 2 else { throw .unsupported }
        return ModelMember(type: type, size: size, modified: modified, path: try text(1, 1_024))
    }
}

/// Manifests that are nearly right: paths of few parts, sorted or not.
enum ManifestBuilder {
    /// How long all paths may be together. Two bytes of input make up to 1,200 of path, which the target, the model and the code under
    /// test each hold; the memory that is allowed goes by the input.
    private static let maximumPathBytes = 65_536

    private static let parts: [[UInt8]] = [
        Array("a".utf8), Array("b".utf8), Array("a-b".utf8), Array("a!".utf8), Array("con".utf8), Array("é".utf8),
        Array(".".utf8), Array("..".utf8), [], [0xFF], [UInt8](repeating: 0x6E, count: 255),
        [UInt8](repeating: 0x6E, count: 256), Array("A".utf8), Array("c\\d".utf8), Array("...".utf8), Array("a:".utf8),
    ]

    static func make(_ choices: inout Choices) -> [UInt8] {
        var members: [ModelMember] = []
        var (isSorted, pathBytes) = (true, 0)
        while !choices.isEmpty, members.count < 400, pathBytes < maximumPathBytes {
            let (byte, second) = (choices.byte(), choices.byte())
            let type: UInt8 = [0, 1, 2, 0, 2, 0, 0, 3][Int(byte & 7)]
            let count = 1 + Int(byte >> 3 & 3) + (byte >= 0xF8 ? 30 : 0)
            let path = (0..<count).map {
                parts[$0 == 0 ? Int(second & 15) : Int(second >> 4 &+ UInt8($0)) % (byte & 0x20 == 0 ? 6 : 16)]
            }
            let sizes: [UInt64] = [0, 1, 300, 1 << 53 - 1, 1 << 61, 0]
            let size = type == 2 && byte & 0x40 == 0 ? 0 : sizes[Int(second) % sizes.count]
            members.append(
                ModelMember(
                    type: type, size: size, modified: UInt64(second), path: Array(path.joined(separator: [0x2F]))))
            pathBytes += members.last?.path.count ?? 0
            if byte & 0xC0 == 0xC0 { isSorted = false }
        }
        if isSorted { members.sort { $0.path.lexicographicallyPrecedes($1.path) } }
        return members.flatMap(\.encoded)
    }
}
