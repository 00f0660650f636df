public import MultipeerCrypto

/// SHA-256 of files by libsodium, for apps that build without another backend.
///
/// Portable C without the processor's SHA instructions; docs/decisions/0002-bulk-digest.md has figures.
public struct SodiumBulkDigest: BulkDigest {
    public func makeDigester() -> any Digester { SodiumDigester() }
}

private final class SodiumDigester: Digester {
    private var state = RunningSHA256()

    func update(_ bytes: Span<UInt8>) { state.update(bytes) }

    func finish() -> Digest { state.finish() }
}
