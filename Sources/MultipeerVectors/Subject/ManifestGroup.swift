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
        var names = LocalPaths()
        return .accepted([
            "members": .array(
                manifest.members.map { member in
                    .members([
                        "type": .integer(Int(member.kind.rawValue)), "size": .wide(member.size),
                        "modified": .wide(member.modified), "path": .hex(member.path),
                        "localPath": names.local(member.parts.map(Array.init)).map { .hex(Array($0.utf8)) },
                    ])
                })
        ])
    }
}

/// Where the members of a folder go (R15.8-2). What name a part gets whose own is taken, is the receiver's choice.
private struct LocalPaths {
    /// The local names of the parts in each folder, by the folder's path; nil for one that had to give way.
    private var names: [[[UInt8]]: [[UInt8]: String?]] = [:]

    /// The local path; nil if a part of it had to give way to another.
    mutating func local(_ parts: [[UInt8]]) -> String? {
        var path: [String] = []
        var isChosen = false
        for (index, part) in parts.enumerated() {
            switch name(of: part, in: Array(parts[..<index])) {
            case let name?: path.append(name)
            case nil: isChosen = true
            }
        }
        return isChosen ? nil : path.joined(separator: "/")
    }

    private mutating func name(of part: [UInt8], in folder: [[UInt8]]) -> String? {
        if let known = names[folder]?[part] { return known }
        let name = SanitizedFileName.derive(fromPart: part)
        let isTaken = (names[folder] ?? [:]).values.contains { $0?.lowercased() == name.lowercased() }
        let local: String? = isTaken ? nil : name
        names[folder, default: [:]].updateValue(local, forKey: part)
        return local
    }
}
