import Dispatch
import Foundation
import MultipeerTransfers

/// How far a resource has come, as the app sees it. Foundation's object has no lock, so it is changed on the session's queue alone.
struct ResourceProgress: Sendable {
    let progress: Progress
    private let queue: DispatchQueue

    init(_ progress: Progress, on queue: DispatchQueue) {
        self.progress = progress
        self.queue = queue
        progress.kind = .file
        progress.isCancellable = true
    }

    /// Gives a task up when the app says so, or has said so.
    func cancels(_ task: Task<Void, Never>) {
        progress.cancellationHandler = { task.cancel() }
        if progress.isCancelled { task.cancel() }
    }

    func note(_ event: TransferEvent) {
        guard case .progress(let news) = event else { return }
        queue.async { [progress] in
            // The last byte is reported with the end.
            let total = Int64(clamping: news.size)
            if progress.totalUnitCount != total { progress.totalUnitCount = total }
            progress.completedUnitCount = min(Int64(clamping: news.transferred), max(total - 1, 0))
            progress.setUserInfoObject(news.bytesPerSecond.map { Int($0) }, forKey: .throughputKey)
            progress.setUserInfoObject(news.timeLeft.map { $0 / .seconds(1) }, forKey: .estimatedTimeRemainingKey)
        }
    }

    /// All of it has come. This is called on the queue.
    func complete() {
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = 1 }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
