/// Median and the middle half of a sample.
struct Summary {
    let median: Double
    let lower: Double
    let upper: Double

    init(_ sample: [Double]) {
        (lower, median, upper) = (sample.quantile(0.25), sample.quantile(0.5), sample.quantile(0.75))
    }

    /// How fast `ours` is, where `other` is 1: the ratios of the rounds, each of which measured both under the same
    /// conditions.
    init(speedOf ours: Times, against other: Times) {
        self.init(zip(ours, other).map { $1 / $0 })
    }

    /// "0.98 (0.97–0.99)"
    var ratioText: String { "\(median.text(2)) (\(lower.text(2))–\(upper.text(2)))" }
}

extension [Double] {
    /// The value below which this part of the sample is, between two of them if need be.
    func quantile(_ fraction: Double) -> Double {
        let sorted = sorted()
        let position = fraction * Double(sorted.count - 1)
        let index = Int(position)
        guard index + 1 < sorted.count else { return sorted[sorted.count - 1] }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
    }
}

extension Double {
    /// With `digits` digits after the point. (Foundation has this; the program does without.)
    func text(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((self * scale).rounded())
        guard digits > 0 else { return "\(scaled)" }
        let (whole, fraction) = abs(scaled).quotientAndRemainder(dividingBy: Int(scale))
        let padded = String(repeating: "0", count: digits - "\(fraction)".count) + "\(fraction)"
        return "\(scaled < 0 ? "-" : "")\(whole).\(padded)"
    }

    /// "812 ns", "3.41 µs", "1.20 ms"
    var nanosecondsText: String {
        if self < 1_000 { return text(self < 10 ? 2 : 0) + " ns" }
        if self < 1_000_000 { return (self / 1_000).text(2) + " µs" }
        return (self / 1_000_000).text(2) + " ms"
    }
}

/// Megabytes or gigabytes a second, of `bytes` in `nanoseconds`.
func throughput(_ bytes: Int, _ nanoseconds: Double) -> String {
    let rate = Double(bytes) / nanoseconds
    return rate < 1 ? (rate * 1_000).text(0) + " MB/s" : rate.text(2) + " GB/s"
}
