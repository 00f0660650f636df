import Foundation
import Multipeer
import MultipeerTransfers

/// Resources that come.
extension SessionEngine {
    func receive(_ offer: OfferedFile, in generation: SessionGeneration) {
        let (peer, name) = (known(offer.member.id), offer.name)
        let shown = ResourceProgress(
            Progress.discreteProgress(totalUnitCount: Int64(clamping: offer.size)), on: queue)
        tell { session, delegate in
            delegate.session(
                session, didStartReceivingResourceWithName: name, fromPeer: peer, with: shown.progress)
        }
        let folder = local.inbox.path
        let task = generation.run {
            let result = await Result.catching { () async throws(MultipeerError) in
                try await offer.accept(into: folder) { shown.note($0) }
            }
            await self.finish(name, of: peer, result, shown)
        }
        shown.cancels(task)
    }

    /// Tells the end. What the app does not move goes in a minute.
    private func finish(
        _ name: String, of peer: MCPeerID, _ result: Result<StoredFile, MultipeerError>, _ shown: ResourceProgress
    ) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async { [owner, delegate, inbox = local.inbox] in
                defer { continuation.resume() }
                var url: URL?
                var failure: MCError?
                switch result {
                case .success(let file):
                    shown.complete()
                    url = inbox.take(file.path)
                case .failure(let error): failure = MCError(error)
                }
                if let session = owner.value, let delegate = delegate.value {
                    delegate.session(
                        session, didFinishReceivingResourceWithName: name, fromPeer: peer, at: url, withError: failure)
                }
                if let url { inbox.release(url) }
            }
        }
    }
}
