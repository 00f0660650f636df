internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// The list of what a folder holds (SPEC §15.8).
enum ManifestGroup {
    static func run(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let (bytes, size) = (try inputs.bytes("manifest"), try inputs.wide("size"))
        let manifest: FolderManifest
        do {
            manifest = try FolderManifest(encoded: bytes.span, offerSize: size)
        } catch {
            return .rejected(layer: "any", code: "bad_manifest", expected: [:])
        }
        try WireGroups.requireSame(manifest.encoded, bytes)
        var names = LocalPaths(manifest)
        return .accepted([
            "members": .array(
                manifest.members.map { member in
                    .members([
                        "type": .integer(Int(member.kind.rawValue)), "size": .wide(member.size),
                        "modified": .wide(member.modified), "path": .hex(member.path),
                        "localPath": names.local(member.parts.map(Array.init)).map { .hex($0) },
                    ])
                })
        ])
    }
}

/// Where the members of a folder go on a disk that holds every name (R15.8-2). The receiver chooses the name of a part
/// whose own is taken.
private struct LocalPaths {
    /// What the parts in each folder are, by the folder's path. A part that is its own local name keeps it.
    private var parts: [[[UInt8]]: Set<[UInt8]>] = [:]
    /// The local names of the parts in each folder, by the folder's path; nil for one that had to give way.
    private var names: [[[UInt8]]: [[UInt8]: [UInt8]?]] = [:]

    init(_ manifest: FolderManifest) {
        for member in manifest.members {
            let path = member.parts.map(Array.init)
            for (index, part) in path.enumerated() { parts[Array(path[..<index]), default: []].insert(part) }
        }
    }

    /// The local path; nil if a part of it had to give way to another.
    mutating func local(_ path: [[UInt8]]) -> [UInt8]? {
        var local: [[UInt8]] = []
        for (index, part) in path.enumerated() {
            guard let name = name(of: part, in: Array(path[..<index])) else { return nil }
            local.append(name)
        }
        return Array(local.joined(separator: [0x2F]))
    }

    private mutating func name(of part: [UInt8], in folder: [[UInt8]]) -> [UInt8]? {
        if let known = names[folder]?[part] { return known }
        let name = Array(SanitizedFileName.derive(fromPart: part).utf8)
        let isTaken = (names[folder] ?? [:]).values.contains(name) || parts[folder]?.contains(name) == true
        let local: [UInt8]? = name == part || !isTaken ? name : nil
        names[folder, default: [:]].updateValue(local, forKey: part)
        return local
    }
}
