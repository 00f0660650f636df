import MultipeerCore
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire
import Testing

@Suite("Messages about failed files, for people")
struct ErrorTests {
    private static let errors: [TransferError] =
        FileCancel.Reason.allCases.flatMap { [.cancelled($0, byPeer: true), .cancelled($0, byPeer: false)] }
        + [
            .storage(StorageError(.write, "/tmp/a", .noSpace)), .linkEnded(nil),
            .linkEnded(.finished(unsentMessages: 0)),
            .linkEnded(.failed(LinkFailure(stage: .open, cause: .truncated))), .refused(.tooManyFiles),
            .refused(.invalidFile), .refused(.unknownFile),
        ]

    @Test("Every error names phase, reason and remedy, and no option of the command line", arguments: errors)
    func text(error: TransferError) {
        #expect(error.description == "\(error.phase): \(error.reason). \(error.remedy)")
        #expect(!error.reason.isEmpty && error.reason.last != ".")
        #expect(error.remedy.first?.isUppercase == true && error.remedy.last == ".")
        #expect(!error.description.contains("--"))
    }

    @Test("If a person has declined, the remedy is not to ask that person", arguments: [true, false])
    func declined(byPeer: Bool) {
        let error = TransferError.cancelled(.declined, byPeer: byPeer)
        #expect(error.remedy.contains("the remote person") == byPeer)
    }
}
