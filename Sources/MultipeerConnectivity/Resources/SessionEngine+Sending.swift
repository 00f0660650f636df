import Foundation
import Multipeer
import MultipeerCrypto
import MultipeerTransfers

/// Resources that the local peer sends.
extension SessionEngine {
    private typealias Completion = Carried<(((any Error)?) -> Void)?>

    func sendResource(
        _ url: URL, named name: String, to peer: MCPeerID, _ handler: (((any Error)?) -> Void)?
    ) -> Progress? {
        let completion = Completion(handler)
        let session: Session
        let target: PeerID
        do throws(MCError) {
            try Self.check(url, name)
            let (found, targets) = try connected([peer])
            (session, target) = (found, targets[0])
        } catch {
            queue.async { completion.value?(error) }
            return nil
        }
        // It becomes a child of the thread's current progress, if there is one.
        let shown = ResourceProgress(Progress(totalUnitCount: Self.size(of: url)), on: queue)
        let task = currentGeneration().run { [queue] in
            var failure: MCError?
            do throws(MCError) {
                try await Self.send(url, named: name, to: target, by: session, shown)
            } catch {
                failure = error
            }
            queue.async { [failure] in
                if failure == nil { shown.complete() }
                completion.value?(failure)
            }
        }
        shown.cancels(task)
        return shown.progress
    }

    private static func check(_ url: URL, _ name: String) throws(MCError) {
        guard (1...255).contains(name.utf8.count) else {
            throw MCError(.invalidParameter, "resource: the name must have 1 to 255 bytes of UTF-8")
        }
        if url.isFileURL {
            let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
            guard values?.isDirectory != true else {
                throw MCError(
                    .unsupported, "resource: \(url.path) is a folder. Send its files one by one, or an archive of it")
            }
            guard FileManager.default.isReadableFile(atPath: url.path) else {
                throw MCError(.unavailable, "resource: there is no file at \(url.path), or it must not be read")
            }
        } else {
            guard WebResource.isOne(url) else {
                throw MCError(.unsupported, "resource: only URLs of files and of the web can be sent")
            }
        }
    }

    /// In bytes; −1 while it is not known.
    private static func size(of url: URL) -> Int64 {
        guard url.isFileURL, let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { return -1 }
        return (attributes[.size] as? NSNumber)?.int64Value ?? -1
    }

    private static func send(
        _ url: URL, named name: String, to peer: PeerID, by session: Session, _ shown: ResourceProgress
    ) async throws(MCError) {
        let web = url.isFileURL ? nil : try await WebResource.download(url)
        defer { web?.remove() }
        do throws(MultipeerError) {
            try await session.sendFile(web?.path ?? url.path, to: peer, named: name) { shown.note($0) }
        } catch {
            throw MCError(error)
        }
    }
}
