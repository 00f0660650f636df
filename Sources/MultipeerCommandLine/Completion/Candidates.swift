package import ArgumentParser
package import MultipeerCertificates
import MultipeerCrypto
import MultipeerStorage

extension CompletionKind {
    /// Addresses that the local peer has connected to: HOST:PORT.
    package static var knownAddress: CompletionKind { .custom(Candidates.addresses) }
}

/// What a shell offers for an argument. Nothing is looked for on the network, and nothing is complained about.
package enum Candidates {
    @Sendable package static func addresses(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        let addresses = await known(words).compactMap { $0.address?.description }
        return offered(addresses.filter { isHarmless($0) })
    }

    /// The peers of the store that the command line names.
    package static func known(_ words: [String]) async -> [KnownPeer] {
        let option = words.firstIndex(of: "--store").map { $0 + 1 }
        let directory = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
        guard let store = try? IdentityStore(directory: directory) else { return [] }
        return (try? await KnownPeersFile(path: store.knownPeersPath).all()) ?? []
    }

    /// Whether the text means itself to a shell. Names are what peers call themselves, and bash *expands* what a completion
    /// function gives to `compgen -W`: `$(…)` would run.
    package static func isHarmless(_ text: String) -> Bool {
        let punctuation = " .,:_+@%/[]-".unicodeScalars
        return !text.hasPrefix("-")
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || punctuation.contains(scalar)
            }
    }

    /// Each once, in the form that the asking shell reads.
    package static func offered(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        let unique = texts.filter { seen.insert($0).inserted }
        // For zsh a description follows a colon.
        guard CompletionShell.requesting == .zsh else { return unique }
        return unique.map { $0.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:") }
    }
}
