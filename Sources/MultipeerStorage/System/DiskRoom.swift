import Glibc
import Synchronization

/// What the files that this process receives still need of each disk. So not more is promised to senders than there is room for, whatever
/// they offer at a time; and a part of the disk stays free for whatever else uses it.
final class DiskRoom: Sendable {
    static let process = DiskRoom()

    /// Room that a file has been promised, for as long as this object lives.
    final class Promise: Sendable {
        private let room: DiskRoom
        private let device: UInt64
        private let left: Mutex<UInt64>

        fileprivate init(_ count: UInt64, of device: UInt64, in room: DiskRoom) {
            (self.room, self.device) = (room, device)
            left = Mutex(count)
        }

        deinit { room.giveBack(left.withLock { $0 }, of: device) }

        /// So much has been written: the disk itself says now that it is not free.
        func use(_ count: UInt64) {
            let used = left.withLock { left in
                let used = min(count, left)
                left -= used
                return used
            }
            room.giveBack(used, of: device)
        }
    }

    /// What is left free, of a disk that is large enough.
    private static let reserve: UInt64 = 67_108_864

    /// In bytes, by device.
    private let promised = Mutex<[UInt64: UInt64]>([:])

    /// Promises room for a file on the disk of a directory.
    /// - Throws: ``StorageError/Reason/noSpace``.
    func promise(_ count: UInt64, on directory: borrowing OpenFile) throws(StorageError) -> Promise {
        let device = try directory.status().device
        let fits = promised.withLock { promised in
            guard Self.fits(count, beside: promised[device] ?? 0, on: directory) else { return false }
            promised[device, default: 0] += count
            return true
        }
        guard fits else { throw StorageError(.write, directory.path, .noSpace) }
        return Promise(count, of: device, in: self)
    }

    private func giveBack(_ count: UInt64, of device: UInt64) {
        promised.withLock { promised in
            let left = (promised[device] ?? 0) - min(count, promised[device] ?? 0)
            promised[device] = left == 0 ? nil : left
        }
    }

    private static func fits(_ count: UInt64, beside promised: UInt64, on directory: borrowing OpenFile) -> Bool {
        // What needs nothing takes nothing away. A disk that does not say how large it is fails when it is full.
        guard count > 0, let (free, size) = directory.room else { return true }
        let taken = promised.addingReportingOverflow(min(reserve, size / 20))
        let all = taken.partialValue.addingReportingOverflow(count)
        return !taken.overflow && !all.overflow && all.partialValue <= free
    }
}

extension OpenFile {
    /// How many bytes of this file's disk this user can still use, and how many it has; nil if the disk does not say.
    fileprivate var room: (free: UInt64, size: UInt64)? {
        var status = statvfs()
        // SAFETY: the pointer is to a local and used during the call only.
        guard unsafe fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: unit)
        let size = UInt64(status.f_blocks).multipliedReportingOverflow(by: unit)
        return (free.overflow ? .max : free.partialValue, size.overflow ? .max : size.partialValue)
    }
}
