public import FuzzSupport

extension FuzzTarget {
    /// Every target but the canary, which is there to be found.
    public static let all: [FuzzTarget] = [
        .frames,
        .recordStream,
        .roundTrip,
        .negotiation,
        .handshake,
        .handshakeInsecure,
        .recordProtection,
        .recordProtectionInsecure,
        .proof,
        .session,
        .invitation,
        .encounters,
        .payload,
        .association,
        .datagrams,
        .entries,
        .rosterMerge,
        .members,
        .manifest,
        .certificateChain,
        .pem,
        .storedFiles,
        .vectorFile,
    ]
}
