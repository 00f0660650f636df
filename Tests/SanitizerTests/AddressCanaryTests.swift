#if MULTIPEER_SANITIZER_ADDRESS
    import Foundation
    import Testing

    @Suite("AddressSanitizer sees planted faults")
    struct AddressCanaryTests {
        @Test("A write after the end of heap memory")
        func heapOverflow() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
                memory[CommandLine.argc > 0 ? 24 : 0] = 1
            }
            #expect(Canary.reported(result, "heap-buffer-overflow", "WRITE of size 1"))
        }

        @Test("A C function that reads after the end of an array")
        func borderOverflow() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let array = [UInt8](repeating: 1, count: 100)
                var copy = [UInt8](repeating: 0, count: 4_096)
                let count = array.capacity + 32
                array.withUnsafeBytes { bytes in
                    copy.withUnsafeMutableBytes { copy in _ = memcpy(copy.baseAddress!, bytes.baseAddress!, count) }
                }
            }
            #expect(Canary.reported(result, "heap-buffer-overflow", "READ of size", "memcpy"))
        }

        @Test("A read of freed memory")
        func useAfterFree() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
                memory.initialize(repeating: 1, count: 24)
                memory.deallocate()
                exit(Int32(memory[7]))
            }
            #expect(Canary.reported(result, "heap-use-after-free"))
        }

        @Test("A read of a local variable whose function has returned")
        func useAfterReturn() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                exit(Int32(escaped().pointee))
            }
            #expect(Canary.reported(result, "stack-use-after-return"))
        }

        @Test("Memory that nobody retains when the process exits")
        func leak() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                for _ in 0..<100 { lose() }
                exit(0)
            }
            #expect(Canary.reported(result, "LeakSanitizer", "1234"))
        }
    }

    @inline(never)
    private func escaped() -> UnsafeMutablePointer<Int> {
        var local = Int(CommandLine.argc)
        return withUnsafeMutablePointer(to: &local) { $0 }
    }

    @inline(never)
    private func lose() { malloc(1_234)?.storeBytes(of: 1, as: UInt8.self) }
#endif
