import Multipeer
import MultipeerCrypto
import MultipeerTransfers

extension Multipeer.Session {
    /// Sends a file or folder to a member, shows how it comes along, and tells what becomes of it. Returns the failure.
    ///
    /// - Parameter argument: What the person wrote for it, if that is not its path.
    func sendFile(
        _ path: String, as argument: String? = nil, to peer: PeerID, by taker: FileTaker, telling output: Output
    ) async -> CommandFailure? {
        let told = argument ?? path
        let bar = TransferBar(.sent, output)
        defer { bar.end() }
        do throws(TransferError) {
            let digest = try await sendFile(path, to: peer) { event in
                if case .accepted(let offset) = event, offset > 0 {
                    output.report(ChatEvent.fileResumed(told, peer, offset: offset))
                }
                bar.show(event)
            }
            bar.end()
            output.report(ChatEvent.fileSent(told, peer, digest))
            return nil
        } catch {
            bar.end()
            let failure = CommandFailure(error, .sent, file: told, by: taker)
            output.report(ChatEvent.fileFailed(told, peer, failure))
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
