import Dispatch
import Foundation
import Synchronization

/// The user's defaults, which Foundation on Linux writes only when it is told to, and Apple's systems write by themselves. Apps for Apple's
/// framework keep the archive of their peer ID there.
enum Defaults {
    private static let delay: DispatchTimeInterval = .seconds(1)
    private static let isWaiting = Atomic(false)

    /// Writes them in a moment, when the app has put the archive there, and once more at the process's end.
    static func saveSoon() {
        _ = atTheEnd
        guard isWaiting.exchange(true, ordering: .sequentiallyConsistent) == false else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) {
            isWaiting.store(false, ordering: .sequentiallyConsistent)
            UserDefaults.standard.synchronize()
        }
    }

    private static let atTheEnd: Void = { atexit { UserDefaults.standard.synchronize() } }()
}
