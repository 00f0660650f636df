import Glibc

/// What a folder holds and cannot be sent (R15.8-3), or cannot be read.
public struct OmittedMembers: Hashable, Sendable {
    /// Why something is left out.
    public enum Reason: String, Hashable, Sendable {
        case symbolicLink, pipe, socket, device
        /// The name is not UTF-8.
        case nameNotText
        /// This user may not read it.
        case unreadable
    }

    /// One thing that is left out, and all that is in it.
    public struct Member: Hashable, Sendable {
        /// Its path within the folder. What is not UTF-8 in it becomes U+FFFD.
        public let path: String
        public let reason: Reason
    }

    /// How many are named.
    public static let mostNamed = 1_000

    /// The first ones.
    public private(set) var named: [Member] = []
    /// How many there are.
    public private(set) var count = 0
    /// How many of them this user may not read.
    public private(set) var unreadable = 0

    /// None.
    init() {}

    mutating func add(_ path: [String], _ reason: Reason) {
        count += 1
        if reason == .unreadable { unreadable += 1 }
        if named.count < Self.mostNamed { named.append(Member(path: path.joined(separator: "/"), reason: reason)) }
    }
}

extension OmittedMembers.Reason {
    /// Nil for files and folders.
    init?(kind: mode_t) {
        switch kind {
        case S_IFREG, S_IFDIR: return nil
        case S_IFLNK: self = .symbolicLink
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }

    /// What it is, as it follows «it is».
    public var words: String {
        switch self {
        case .symbolicLink: "a symbolic link"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .device: "a device"
        case .nameNotText: "called by a name that is not UTF-8"
        case .unreadable: "not readable for this user"
        }
    }
}
