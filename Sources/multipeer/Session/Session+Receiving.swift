import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Receives files from the peer.
extension Session {
    func receive(_ event: IncomingFileEvent, _ state: inout SessionState) async {
        switch event {
        case .offered(let offer):
            // One at a time, and no folders, for now.
            if offer.kind == .folder || state.incoming != nil {
                try? await connection.refuseFile(offer.file)
            } else {
                await offered(offer.file, offer.name, offer.localName, offer.size, &state)
            }
        case .data(let id, let bytes): await store(bytes, of: id, &state)
        case .complete(let id, let digest): await complete(id, digest, &state)
        case .ended(let id, let reason, let byPeer):
            guard state.incoming?.id == id, let incoming = state.incoming.take() else { return }
            await incoming.file.discard()
            fail(incoming.name, CommandFailure(reason, byPeer: byPeer, file: incoming.name), &state)
        }
    }

    private func offered(
        _ id: FileID, _ name: String, _ localName: String, _ size: UInt64, _ state: inout SessionState
    ) async {
        tell(.fileOffered(name: name, localName: localName, size: size, isAccepted: settings.inbox != nil))
        guard let inbox = settings.inbox else {
            try? await connection.refuseFile(id)
            return
        }
        do throws(StorageError) {
            let file = try await ReceivedFile.begin(named: localName, in: inbox.directory, expectedLength: size)
            state.incoming = IncomingTransfer(id: id, name: name, size: size, file: file)
        } catch {
            return await giveUp(id, name, error, &state)
        }
        try? await connection.acceptFile(id)
    }

    private func store(_ bytes: [UInt8], of id: FileID, _ state: inout SessionState) async {
        guard var incoming = state.incoming else { return }
        do throws(StorageError) {
            try await incoming.file.write(bytes)
            incoming.received += UInt64(bytes.count)
            state.incoming = incoming
            showProgress(incoming.progress, &state)
        } catch {
            await giveUp(id, incoming.name, error, &state)
        }
    }

    private func complete(_ id: FileID, _ digest: Digest, _ state: inout SessionState) async {
        guard let incoming = state.incoming else { return }
        do throws(StorageError) {
            let path = try await incoming.file.finish()
            state.incoming = nil
            showProgress(nil, &state)
            tell(.fileReceived(name: incoming.name, path: path, size: incoming.size, digest))
        } catch {
            return await giveUp(id, incoming.name, error, &state)
        }
        // This happens only now, because FILE_DONE says that the file has been stored (R15.3-6).
        try? await connection.confirmFile(id)
    }

    /// Removes a file that was under way when the link ended.
    func abandonFile(_ state: inout SessionState) async {
        guard let incoming = state.incoming.take() else { return }
        await incoming.file.discard()
        fail(incoming.name, .unfinished(incoming.name), &state)
    }

    /// Refuses a file that this side cannot store.
    private func giveUp(_ id: FileID, _ name: String, _ error: StorageError, _ state: inout SessionState) async {
        // The link reports the end of the file as well, but this method has already reported it.
        state.incoming = nil
        try? await connection.refuseFile(id, reason: .storageFailed)
        fail(name, CommandFailure(error), &state)
    }

    private func fail(_ name: String, _ failure: CommandFailure, _ state: inout SessionState) {
        showProgress(nil, &state)
        tell(.fileFailed(.received, name: name, failure))
        state.note(failure)
    }

    /// Shows progress once for each per cent, to programs as an event and to people as a bar.
    func showProgress(_ progress: FileProgress?, _ state: inout SessionState) {
        guard progress?.percent != state.lastPercent else { return }
        state.lastPercent = progress?.percent
        showProgress(progress)
    }

    func showProgress(_ progress: FileProgress?) {
        if output.isJSON {
            if let progress { tell(.fileProgress(progress)) }
        } else {
            output.show(bar: progress.map { ProgressBar.line($0, columns: StandardStream.error.columns) })
        }
    }
}
