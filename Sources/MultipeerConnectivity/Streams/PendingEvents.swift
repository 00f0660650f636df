import Foundation

/// What a stream has to tell its delegate.
struct PendingEvents {
    var isOpened = false
    var hasBytes = false
    var hasSpace = false
    var hasError = false
    var hasEnd = false

    var isPending: Bool { isOpened || hasBytes || hasSpace || hasError || hasEnd }

    /// Takes the next one out, in the order in which they happen.
    mutating func next() -> Stream.Event? {
        if isOpened {
            isOpened = false
            return .openCompleted
        }
        if hasBytes {
            hasBytes = false
            return .hasBytesAvailable
        }
        if hasError {
            (hasError, hasSpace) = (false, false)
            return .errorOccurred
        }
        if hasSpace {
            hasSpace = false
            return .hasSpaceAvailable
        }
        if hasEnd {
            hasEnd = false
            return .endEncountered
        }
        return nil
    }
}
