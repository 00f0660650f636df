package import MultipeerStorage
package import MultipeerWire

/// What the peer hears of an error on the local disk (SPEC §15.3).
extension StorageError {
    /// The reason for a file that the local peer cannot store.
    package var storingReason: FileCancel.Reason {
        switch reason {
        case .noSpace: .noSpace
        case .fileSizeLimit: .tooLarge
        case .badManifest: .badManifest
        case .permissionDenied, .readOnlyFileSystem: .noPermission
        default: .storageFailed
        }
    }

    /// The reason for a file that the local peer cannot read to its end.
    var sourceReason: FileCancel.Reason {
        switch reason {
        case .changedWhileReading: .sourceChanged
        case .permissionDenied: .noPermission
        default: .sourceFailed
        }
    }
}

extension FileCancel.Reason {
    /// Whether what has come of the file is kept, so that it can continue later (the table of SPEC §15.3).
    var keepsBeginning: Bool {
        switch self {
        case .storageFailed, .sourceFailed, .noSpace, .noPermission, .interrupted, .stalled: true
        case .declined, .cancelled, .hashMismatch, .tooLarge, .beginningDiffers, .sourceChanged, .badManifest: false
        }
    }
}
