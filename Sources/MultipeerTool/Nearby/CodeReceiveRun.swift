import Multipeer
import MultipeerCommandLine
import MultipeerCrypto

/// Takes the files of the peer whose code was typed here (`receive CODE`, `send --show-code`).
struct CodeReceiveRun: Sendable {
    let code: CodeArgument
    let picker: PeerPicker
    let browser: Browser
    let run: ReceiveRun
    let output: Output

    /// Connects, and takes what is offered until the sender has left. Returns the first failure.
    func run() async -> CommandFailure? {
        do throws(CommandFailure) {
            let sender = try await RemotePeer.find(code, named: nil, by: picker)
            let session = Multipeer.Session(of: run.peer)
            do throws(MultipeerError) {
                // The peer that the code has verified is the one that is meant, whatever it is called.
                _ = try await sender.invite(
                    to: session, by: browser, context: CodeSendRun.mark, asking: NameQuestion(output: output))
            } catch {
                await session.leave()
                throw sender.failure(error)
            }
            return await run.takeAll(of: session)
        } catch {
            return error
        }
    }
}
