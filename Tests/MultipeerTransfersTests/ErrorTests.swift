import MultipeerCore
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire
import Testing

@Suite("What people read of failed files")
struct ErrorTests {
    private static let errors: [TransferError] =
        FileCancel.Reason.allCases.flatMap { [.cancelled($0, byPeer: true), .cancelled($0, byPeer: false)] }
        + [
            .storage(StorageError(.write, "/tmp/a", .noSpace)), .linkEnded(nil),
            .linkEnded(.finished(unsentMessages: 0)),
            .linkEnded(.failed(LinkFailure(stage: .open, cause: .truncated))), .refused(.tooManyFiles),
            .refused(.invalidFile), .refused(.unknownFile),
        ]

    @Test("Every error says phase, reason and remedy, and names no option of the command line", arguments: errors)
    func text(error: TransferError) {
        #expect(error.description == "\(error.phase): \(error.reason). \(error.remedy)")
        #expect(!error.reason.isEmpty && error.reason.last != ".")
        #expect(error.remedy.first?.isUppercase == true && error.remedy.last == ".")
        #expect(!error.description.contains("--"))
    }

    @Test("A person who has declined is not told to ask the person at the other side", arguments: [true, false])
    func declined(byPeer: Bool) {
        let error = TransferError.cancelled(.declined, byPeer: byPeer)
        #expect(error.remedy.contains("the remote person") == byPeer)
    }
}
