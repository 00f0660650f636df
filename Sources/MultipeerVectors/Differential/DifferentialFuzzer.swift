/// Asks two implementations the same questions, made from vectors by seeded changes, and compares the whole answers.
/// SPEC.md decides which is wrong where they differ.
public struct DifferentialFuzzer {
    private let comparer: Comparer
    private let mutator: CaseMutator

    /// After this number of faults in a row, without an answer between, a run is given up.
    private static let maximumFaults = 20
    /// A part of all scripts goes deeper than the other groups, and costs more.
    private static let scriptShare = 4

    /// - Parameters:
    ///   - own: this implementation; what it cannot judge is no question.
    ///   - other: the one that it is compared with.
    ///   - seeds: vectors to begin with.
    public init(_ own: any VectorSubject, and other: any VectorSubject, seeds: VectorSet) throws(SubjectFault) {
        let crypto: SwiftCrypto
        do { crypto = try SwiftCrypto() } catch { throw .fault("\(error)") }
        comparer = Comparer(own: own, other: other, crypto: crypto)
        mutator = CaseMutator(pool: SeedPool(seeds, crypto: crypto), crypto: crypto)
    }

    /// Runs until the limit is reached.
    /// - Parameters:
    ///   - settings: which cases, and how many.
    ///   - progress: Is called for every new kind of difference.
    public func run(
        _ settings: DifferentialSettings, progress: (DifferentialReport.Finding) -> Void = { _ in }
    ) -> DifferentialReport {
        var report = DifferentialReport(settings: settings)
        let groups = DifferentialSettings.allGroups.filter {
            // Of nodes SPEC §14 leaves so much free that they are asked about by name only.
            mutator.pool.groups.contains($0) && (settings.groups?.contains($0) ?? ($0 != .nodeScript))
        }
        let clock = ContinuousClock()
        let start = clock.now
        var faults = 0
        var number = settings.first
        while !groups.isEmpty, !report.wasGivenUp, goesOn(settings, number, clock.now - start) {
            let question = question(number, groups, settings.seed)
            let outcome = comparer.compare(question)
            report.note(outcome, question.group)
            if case .different(let difference) = outcome {
                faults = difference.kind.hasSuffix("FAULT") ? faults + 1 : 0
                report.wasGivenUp = faults == Self.maximumFaults
                if !report.noteAgain(difference, question.group) {
                    report.findings.append(finding(question, difference, number))
                    progress(report.findings[report.findings.count - 1])
                }
            } else if outcome == .agreed {
                faults = 0
            }
            number += 1
        }
        report.duration = clock.now - start
        return report
    }

    /// How often a group is asked about: what has few answers soon has given all.
    private static func weight(_ group: VectorGroupType) -> Int {
        switch group {
        case .encryptionPolicy, .crossingInvitations, .rekey: 1
        case .varint: 4
        default: 8
        }
    }

    private func goesOn(_ settings: DifferentialSettings, _ number: Int, _ elapsed: Duration) -> Bool {
        switch settings.limit {
        case .count(let count): number < settings.first + count
        case .time(let time): elapsed < time
        }
    }

    /// The case with this number.
    private func question(_ number: Int, _ groups: [VectorGroupType], _ seed: UInt64) -> FuzzCase {
        var dice = Dice(seed: seed, number: number)
        let isScript = groups.contains(.linkScript) && (groups.count == 1 || dice.once(in: Self.scriptShare))
        let stateless = groups.filter { $0 != .linkScript }.flatMap { Array(repeating: $0, count: Self.weight($0)) }
        return mutator.make(isScript ? .linkScript : dice.pick(stateless), &dice)
    }

    private func finding(
        _ question: FuzzCase, _ difference: Difference, _ number: Int
    ) -> DifferentialReport.Finding {
        var shrinker = Shrinker(comparer: comparer, kind: difference.kind)
        let small = shrinker.shrunk(question)
        // The answers to the small question; a difference that comes and goes keeps its first.
        var last = difference
        if case .different(let again) = comparer.compare(small), again.kind == difference.kind { last = again }
        var (inputs, steps, records): (JSONValue?, [JSONValue]?, [String]) = (nil, nil, [])
        switch small {
        case .test(_, _, let value): inputs = value
        case .script(let model):
            steps = model.steps(crypto: comparer.crypto)
            records = model.pieces.compactMap(\.records)
        case .node(let model), .path(let model): steps = model.steps
        }
        return DifferentialReport.Finding(
            group: small.group, kind: last.kind, number: number, params: small.params, inputs: inputs, steps: steps,
            records: records, own: last.own, other: last.other, count: 1)
    }
}

extension DifferentialReport {
    fileprivate mutating func note(_ outcome: FuzzOutcome, _ group: VectorGroupType) {
        switch outcome {
        case .agreed: counts[group, default: Counts()].agreed += 1
        case .skipped: counts[group, default: Counts()].skipped += 1
        case .different: counts[group, default: Counts()].different += 1
        }
    }

    /// Counts a difference of a kind that was found before; false for a new one.
    fileprivate mutating func noteAgain(_ difference: Difference, _ group: VectorGroupType) -> Bool {
        guard let index = findings.firstIndex(where: { $0.group == group && $0.kind == difference.kind }) else {
            return false
        }
        findings[index].count += 1
        return true
    }
}
