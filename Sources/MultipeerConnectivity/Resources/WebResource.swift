import Foundation
import FoundationNetworking
import Synchronization

/// The content of a web address, as a local file while it is sent.
struct WebResource {
    let path: String

    static func isOne(_ url: URL) -> Bool { ["http", "https"].contains(url.scheme?.lowercased()) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Gets it. A task that is cancelled stops that.
    static func download(_ url: URL) async throws(MCError) -> WebResource {
        let running = Mutex<URLSessionDownloadTask?>(nil)
        let result: Result<WebResource, MCError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = URLSession.shared.downloadTask(with: url) { file, response, error in
                    continuation.resume(returning: keep(file, response, error))
                }
                running.withLock { $0 = task }
                if Task.isCancelled { task.cancel() } else { task.resume() }
                // A task that was never begun does not end by being cancelled.
                if Task.isCancelled { task.resume() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
        return try result.get()
    }

    /// Moves what was downloaded to where it stays: the system removes it when this returns.
    private static func keep(_ file: URL?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        WebResource, MCError
    > {
        if let error {
            let isCancelled = (error as? URLError)?.code == .cancelled
            return .failure(
                MCError(
                    isCancelled ? .cancelled : .unavailable, "resource: \(error.localizedDescription)",
                    underlying: error))
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard let file, (200..<300).contains(status) else {
            return .failure(MCError(.unavailable, "resource: the web answers with status \(status)"))
        }
        let path = NSTemporaryDirectory() + "multipeer-" + UUID().uuidString
        do {
            try FileManager.default.moveItem(atPath: file.path, toPath: path)
            return .success(WebResource(path: path))
        } catch {
            return .failure(MCError(.unavailable, "resource: \(error.localizedDescription)", underlying: error))
        }
    }
}
