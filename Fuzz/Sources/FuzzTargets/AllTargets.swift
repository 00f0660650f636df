public import FuzzSupport

extension FuzzTarget {
    /// Every target but the canary, which is there to be found.
    public static let all: [FuzzTarget] = [
        .frames, .recordStream, .certificateChain, .pem, .storedFiles, .vectorFile,
    ]
}
