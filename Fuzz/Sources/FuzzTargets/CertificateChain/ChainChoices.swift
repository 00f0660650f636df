import FuzzSupport

/// Chains out of genuine certificates: in any order, again, changed, with bytes after them, or long.
enum ChainChoices {
    static func make(_ choices: inout Choices) -> [[UInt8]] {
        var ders: [[UInt8]] = []
        for _ in 0..<choices.int(below: 10) {
            let der = Fixtures.authority[choices.pick(Fixtures.authorityNames)] ?? []
            switch choices.int(below: 6) {
            case 0, 1, 2: ders.append(der)
            case 3: ders.append(filler(around: choices.pick([16_384, 12_288, 8_192, 1]), choices.byte()))
            case 4 where !ders.isEmpty: ders.append(CertificateEdits.apply(&choices, to: ders[ders.count - 1]))
            default: ders.append(CertificateEdits.apply(&choices, to: der))
            }
        }
        return ders
    }

    /// A certificate of about this length that is none: near the limits of SPEC §10.2.
    private static func filler(around length: Int, _ offset: UInt8) -> [UInt8] {
        [UInt8](repeating: 0x30, count: max(0, length + Int(offset) - 128))
    }
}
