public import MultipeerVectors

/// One thing that is fuzzed: what is fed, what must hold, where to begin.
public struct FuzzTarget: Sendable {
    /// The name of the program is `Fuzz` and this.
    public let name: String
    /// The longest input that is worth trying, in bytes.
    public let maximumLength: Int
    /// How many bytes may be alive at once while an input runs.
    public let memory: MemoryBudget
    /// How many features libFuzzer must see in the shortest run. Fewer: the corpus is lost, or the target is cut off from
    /// what it tests.
    public let minimumFeatures: Int
    /// Inputs to begin with, made from the vectors.
    public let seeds: @Sendable (VectorSet) throws -> [[UInt8]]
    /// Feeds one input. Throws an ``OracleFailure``, or traps, when something is wrong with the code under test.
    public let run: @Sendable (Span<UInt8>) throws -> Void

    /// Joins the parts.
    public init(
        name: String, maximumLength: Int, memory: MemoryBudget, minimumFeatures: Int = 1,
        seeds: @escaping @Sendable (VectorSet) throws -> [[UInt8]],
        run: @escaping @Sendable (Span<UInt8>) throws -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.memory = memory
        self.minimumFeatures = minimumFeatures
        self.seeds = seeds
        self.run = run
    }
}

/// Memory in proportion to input: what a peer sends must not make anyone allocate much more.
public struct MemoryBudget: Sendable {
    /// Bytes that are allowed whatever the input is.
    public let base: Int
    /// Bytes that are allowed for each byte of input.
    public let perByte: Int

    /// Joins the parts.
    public init(base: Int, perByte: Int) {
        self.base = base
        self.perByte = perByte
    }

    func bytes(forInput length: Int) -> Int { base + perByte * length }
}
