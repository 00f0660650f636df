extension Span where Element == UInt8 {
    /// Lends the address of the first byte to C. Where there is none, an address at which nothing may be read:
    /// libsodium's parameters are never null.
    func withAddress<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        // SAFETY: the pointer does not outlive the call; `body` reads at most `count` bytes.
        unsafe withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            return unsafe withUnsafePointer(to: 0) { unsafe body($0) }
        }
    }
}

extension MutableSpan where Element == UInt8 {
    /// Lends the address of the first byte to C. Where there is none, an address at which nothing may be touched.
    mutating func withMutableAddress<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        // SAFETY: the pointer does not outlive the call; `body` touches at most `count` bytes.
        unsafe withUnsafeMutableBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            var nothing: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &nothing) { unsafe body($0) }
        }
    }
}
