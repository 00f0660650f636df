/// Where unpredictable bytes come from.
///
/// Injected, so that a seed reproduces a whole run (SPEC appendix B is made this way). Outside of tests and vectors
/// this is the backend's system generator.
public protocol RandomSource {
    /// Overwrites all of `bytes`.
    mutating func fill(_ bytes: inout MutableSpan<UInt8>)
}

extension RandomSource {
    /// `count` random bytes that are not secret: nonces of charters, GREASE.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        fill(&span)
        return bytes
    }
}
