import Foundation
import FuzzSupport

/// A program of `Sources/Programs`. Its name says which target it runs: `FuzzFrames` runs ``FuzzTarget/frames``.
public protocol FuzzProgram {}

extension FuzzProgram {
    /// Without libFuzzer a program replays files.
    public static func main() { FuzzEntry.replay(.ofThisProgram) }
}

extension FuzzTarget {
    /// The target of this process.
    static let ofThisProgram: FuzzTarget = {
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
        guard let target = (all + [canary]).first(where: { "Fuzz" + $0.name == program }) else {
            print("\(program): a program is called Fuzz and the name of its target")
            exit(64)
        }
        return target
    }()
}

// libFuzzer has the `main` of a program that is built for it (docs/decisions/0007), and calls these. They are the same in all
// programs, so they are here; a build for tests does not have them.
#if LIBFUZZER
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(
        _ count: UnsafeMutablePointer<CInt>?,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
    ) -> CInt {
        FuzzEntry.initialize(.ofThisProgram)
    }

    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        unsafe FuzzEntry.testOneInput(.ofThisProgram, data, size)
    }
#endif
