import MultipeerCore
import MultipeerWire

/// The names that the parts of a folder's paths get on this disk (R15.8-2): within one folder equal parts get one name, and
/// different parts different ones, in the order of the manifest.
struct LocalNames {
    /// The names within one folder.
    private struct Folder {
        var names: [ArraySlice<UInt8>: String] = [:]
        /// Compared without regard to case, and to how accents are encoded.
        var taken: Set<String> = []
    }

    /// By the local path of the folder. Local names have no `/`.
    private var folders: [String: Folder] = [:]

    /// The local names of a member's parts.
    mutating func parts(of member: FolderMember) throws(StorageError) -> [String] {
        var local: [String] = []
        for part in member.parts {
            local.append(try name(of: part, in: local.joined(separator: "/")))
        }
        return local
    }

    private mutating func name(of part: ArraySlice<UInt8>, in folder: String) throws(StorageError) -> String {
        if let known = folders[folder]?.names[part] { return known }
        let wish = SanitizedFileName.derive(fromPart: Array(part))
        for candidate in PublishedNames(wish) where folders[folder]?.taken.contains(candidate.lowercased()) != true {
            folders[folder, default: Folder()].names[part] = candidate
            folders[folder, default: Folder()].taken.insert(candidate.lowercased())
            return candidate
        }
        throw StorageError(.publish, folder + "/" + wish, .tooManyNames)
    }
}
