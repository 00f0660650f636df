import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// The text of a kept session (docs/formats.md):
///
///     multipeer-session 2
///     owner IDENTITY-KEY
///     instance NUMBER
///     charter HEX
///     chain HEX-OR--
///     entry HEX
///     …
///     on-this-host IDENTITY-KEY
///     …
///     blocked IDENTITY-KEY, misbehaved IDENTITY-KEY or turned-away IDENTITY-KEY
///     …
///     sha256 HEX
///
/// Version 1 has nothing between the entries and the sum, and is written where there is nothing.
enum SessionText {
    private static let header = "multipeer-session "
    private static let nothing = "-"
    private static let hostWord = "on-this-host"

    /// A length that no valid file exceeds, in bytes: 256 lines of entries with at most 2,055, as many of members on this host, 2,048 of grudges, and a charter.
    static let maximumLength = 1_000_000

    static func encode(_ session: StoredSession, hashing: any Hashing) -> [UInt8] {
        let memory = session.memory
        let chain = Admission.encode(memory.chain ?? [])
        var text = header + (memory.grudges.isEmpty && memory.onThisHost.isEmpty ? "1" : "2") + "\n"
        text += "owner \(session.owner)\n"
        text += "instance \(memory.instance)\n"
        text += "charter \(Hexadecimal.encode(memory.charter.encoded))\n"
        text += "chain \(chain.isEmpty ? nothing : Hexadecimal.encode(chain))\n"
        for entry in memory.entries { text += "entry \(Hexadecimal.encode(entry.encoded))\n" }
        for member in memory.onThisHost.sorted() { text += "\(hostWord) \(member)\n" }
        for grudge in memory.grudges { text += "\(grudge.reason.word) \(grudge.peer)\n" }
        return Array((text + checkLine(text, hashing)).utf8)
    }

    /// The last line. Every bit counts: a member that is left out of a damaged file could not be found again.
    private static func checkLine(_ text: String, _ hashing: any Hashing) -> String {
        let (bytes, nothing): ([UInt8], [UInt8]) = (Array(text.utf8), [])
        return "sha256 \(Hexadecimal.encode(hashing.hash(bytes.span, nothing.span).rawBytes))\n"
    }

    /// Accepts exactly what ``encode(_:hashing:)`` writes. Whether signatures verify is not known here.
    static func decode(_ bytes: [UInt8], hashing: any Hashing, path: String) throws(StorageError) -> StoredSession {
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.last == UInt8(ascii: "\n") else {
            throw StorageError(.read, path, .malformed(line: 1))
        }
        let lines = text.utf8.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard lines[0].hasPrefix(header) else { throw StorageError(.read, path, .malformed(line: 1)) }
        guard ["1", "2"].contains(lines[0].dropFirst(header.count)) else {
            throw StorageError(.read, path, .unsupportedVersion)
        }
        var reader = Lines(lines: lines, path: path)
        let owner = try reader.next("owner") { IdentityKey($0) }
        let instance = try reader.next("instance") { UInt64($0) }
        let charter = try reader.next("charter") { hex in
            Hexadecimal.decode(hex).flatMap { try? Charter(encoded: $0.span) }
        }
        let chain = try reader.next("chain") { hex in
            hex == nothing ? [] : Hexadecimal.decode(hex).flatMap { try? Admission.chain($0.span) }
        }
        var entries: [RosterEntry] = []
        while reader.isAt("entry") {
            entries.append(
                try reader.next("entry") { hex in
                    Hexadecimal.decode(hex).flatMap { try? RosterEntry(encoded: $0.span) }
                })
        }
        var onThisHost: Set<IdentityKey> = []
        while reader.isAt(hostWord) { onThisHost.insert(try reader.next(hostWord) { IdentityKey($0) }) }
        var grudges: [Grudge] = []
        for reason in Grudge.Reason.allCases {
            while reader.isAt(reason.word), grudges.count < SessionMemory.mostGrudges {
                grudges.append(Grudge(peer: try reader.next(reason.word) { IdentityKey($0) }, reason: reason))
            }
        }
        let session = StoredSession(
            owner: owner,
            memory: SessionMemory(
                charter: charter, chain: chain, instance: instance, entries: entries, onThisHost: onThisHost,
                grudges: grudges))
        // The sum is wrong, or something is written in another way than it would be now.
        guard encode(session, hashing: hashing) == bytes else {
            throw StorageError(.read, path, .malformed(line: lines.count))
        }
        return session
    }

    /// Takes one line after the other.
    private struct Lines {
        let lines: [String]
        let path: String
        /// How many have been taken. The first one is the header.
        var number = 1

        /// Whether the next line begins with this word.
        func isAt(_ name: String) -> Bool { number < lines.count && lines[number].hasPrefix(name + " ") }

        mutating func next<Value>(_ name: String, _ read: (String) -> Value?) throws(StorageError) -> Value {
            number += 1
            guard number <= lines.count, lines[number - 1].hasPrefix(name + " "),
                let value = read(String(lines[number - 1].dropFirst(name.count + 1)))
            else { throw StorageError(.read, path, .malformed(line: number)) }
            return value
        }
    }
}

extension Grudge.Reason {
    /// The word that begins its line.
    fileprivate var word: String {
        switch self {
        case .blocked: "blocked"
        case .misbehaved: "misbehaved"
        case .turnedAway: "turned-away"
        }
    }
}
