import FuzzSupport
import MultipeerCore

/// What a person reads when a link fails: stage, reason and remedy, a line each, whatever the peer sent.
extension LinkFailure {
    func requireReadable() throws(OracleFailure) {
        try require(description.hasPrefix("\(stage.description): "), "a failure without its stage: \(description)")
        for text in [String(description.dropFirst(stage.description.count + 2)), remedy] {
            try require((8...240).contains(text.utf8.count), "a text of \(text.utf8.count) bytes: \(text)")
            try require(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a control in \(text)")
        }
    }
}
