import CMemoryMeter
import Foundation
import MultipeerVectors

/// How an input gets into a target: from libFuzzer, from files, from tests.
public enum FuzzEntry {
    /// Runs one input, and checks the memory that it took, where that is counted.
    public static func run(_ target: FuzzTarget, _ input: Span<UInt8>) throws {
        let isCounted = memory_meter_start()
        var failure: (any Error)?
        do { try target.run(input) } catch { failure = error }
        let peak = memory_meter_stop()
        if let failure { throw failure }
        let budget = target.memory.bytes(forInput: input.count)
        if isCounted, peak > budget {
            throw OracleFailure(
                "memory in proportion to input: \(peak) bytes alive for \(input.count) of input, allowed \(budget)")
        }
    }

    /// Before the first input. Answers what Scripts/fuzz asks, and ends the process then:
    /// `--describe` prints the longest input and the fewest features; `--seeds VECTORS FOLDER` writes the target's seeds.
    public static func initialize(_ target: FuzzTarget, arguments: [String] = CommandLine.arguments) -> CInt {
        switch arguments.dropFirst().first {
        case "--describe":
            print(target.maximumLength, target.minimumFeatures)
            exit(0)
        case "--seeds" where arguments.count == 4:
            do {
                let count = try writeSeeds(of: target, vectors: arguments[2], to: arguments[3])
                print("Fuzz\(target.name): \(count) seeds")
                exit(0)
            } catch {
                print("Fuzz\(target.name): no seeds: \(error)")
                exit(66)
            }
        default: return 0
        }
    }

    private static func writeSeeds(of target: FuzzTarget, vectors: String, to folder: String) throws -> Int {
        let seeds = try target.seeds(try VectorSet.read(path: vectors))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (number, seed) in seeds.enumerated() {
            try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
        }
        return seeds.count
    }

    /// libFuzzer's entry. A failure ends the process, so that libFuzzer keeps the input.
    public static func testOneInput(_ target: FuzzTarget, _ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        do {
            // The fuzzer lends `size` bytes at `data` for this call.
            let input = unsafe UnsafeBufferPointer(start: data, count: size)
            try unsafe run(target, input.span)
        } catch {
            FileHandle.standardError.write(Data("\nFINDING in \(target.name): \(error)\n".utf8))
            abort()
        }
        return 0
    }

    /// Replays files and folders of files without the fuzzer; the program's main where that is not built in.
    public static func replay(_ target: FuzzTarget, arguments: [String] = CommandLine.arguments) -> Never {
        _ = initialize(target, arguments: arguments)
        var count = 0
        for path in arguments.dropFirst() where !path.hasPrefix("-") {
            for file in files(at: path) {
                guard let bytes = FileManager.default.contents(atPath: file) else {
                    print("Fuzz\(target.name): cannot read \(file)")
                    exit(66)
                }
                do {
                    try run(target, [UInt8](bytes).span)
                    count += 1
                } catch {
                    print("FINDING in \(target.name): \(error)\n    \(file)")
                    exit(1)
                }
            }
        }
        print("Fuzz\(target.name): \(count) inputs replayed, no finding")
        exit(count > 0 ? 0 : 64)
    }

    /// The files of a folder, or the file itself.
    public static func files(at path: String) -> [String] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeDirectory else { return [path] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { path + "/" + $0 }
    }
}
