import Foundation
import Glibc
import Synchronization

/// What this process has asked the disk to keep, in order.
enum SynchronisedFiles {
    struct Call: Equatable {
        /// The path that the descriptor had at the time: a file that has been renamed has its new name.
        let path: String
        /// What the folder held at the time: the file's folder, or the folder itself.
        let names: [String]
    }

    private static let calls = Mutex<[Call]>([])

    /// The calls for files in a folder and for the folder itself.
    static func calls(in folder: String) -> [Call] {
        calls.withLock { $0.filter { $0.path == folder || $0.path.hasPrefix(folder + "/") } }
    }

    fileprivate static func record(_ descriptor: Int32) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0 else { return }
        let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let folder = isDirectory.boolValue ? path : String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        calls.withLock { $0.append(Call(path: path, names: names.sorted())) }
    }
}

/// Stands in this program in the place of the C library's `fsync`, because nothing else can be seen of it without a power
/// cut. The data is written all the same.
@c(fsync)
public func recordedSynchronisation(_ descriptor: Int32) -> Int32 {
    SynchronisedFiles.record(descriptor)
    return fdatasync(descriptor)
}
