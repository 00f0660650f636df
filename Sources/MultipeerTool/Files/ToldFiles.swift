import Multipeer
import MultipeerCrypto
import MultipeerTransfers

extension Multipeer.Session {
    /// Sends a file or folder to a member, shows how it comes along, and tells what becomes of it. Returns the failure.
    func sendFile(_ path: String, to peer: PeerID, telling output: Output) async -> CommandFailure? {
        let bar = TransferBar(.sent, output)
        defer { bar.end() }
        do throws(TransferError) {
            let digest = try await sendFile(path, to: peer) { event in
                if case .accepted(let offset) = event, offset > 0 {
                    output.report(ChatEvent.fileResumed(path, peer, offset: offset))
                }
                bar.show(event)
            }
            bar.end()
            output.report(ChatEvent.fileSent(path, peer, digest))
            return nil
        } catch {
            bar.end()
            let failure = CommandFailure(error, .sent, file: path)
            output.report(ChatEvent.fileFailed(path, peer, failure))
            return failure
        }
    }
}

extension OfferedFile {
    /// Takes the file, shows how it comes along, and tells what becomes of it. Returns the failure.
    func accept(into directory: String, telling output: Output) async -> CommandFailure? {
        let bar = TransferBar(.received, output)
        defer { bar.end() }
        do throws(TransferError) {
            let stored = try await accept(into: directory) { bar.show($0) }
            bar.end()
            output.report(ChatEvent.fileReceived(self, stored))
            return nil
        } catch {
            bar.end()
            let failure = CommandFailure(error, .received, file: name)
            output.report(ChatEvent.fileFailed(name, member.id, failure))
            return failure
        }
    }
}
