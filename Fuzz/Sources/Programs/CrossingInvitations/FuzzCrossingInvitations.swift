import FuzzSupport
import FuzzTargets

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    FuzzEntry.initialize(.crossingInvitations)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    unsafe FuzzEntry.testOneInput(.crossingInvitations, data, size)
}

#if !LIBFUZZER
    @main enum Replay {
        static func main() { FuzzEntry.replay(.crossingInvitations) }
    }
#endif
