import FuzzSupport

/// Changes to a certificate that an attacker without a key can make.
enum CertificateEdits {
    /// Up to three changes, as the next choices say.
    static func apply(_ choices: inout Choices, to der: [UInt8]) -> [UInt8] {
        var der = der
        for _ in 0..<choices.int(below: 4) { der = edit(&choices, der) }
        return der
    }

    private static func edit(_ choices: inout Choices, _ der: [UInt8]) -> [UInt8] {
        let kind = choices.int(below: 10)
        guard kind >= 3, let tree = DERTree(der) else { return rawEdit(&choices, kind, der) }
        let number = choices.int(below: max(tree.count, 1))
        let changed: [DERTree]
        switch kind {
        case 3: changed = tree.replacing(number) { _ in [] }
        case 4: changed = tree.replacing(number) { [$0, $0] }
        case 5:
            let tag = choices.byte()
            changed = tree.replacing(number) { [retagged($0, tag)] }
        case 6:
            let other = DERTree(foreign(&choices))
            let twin = other?.element(choices.int(below: max(other?.count ?? 1, 1)))
            changed = tree.replacing(number) { [twin ?? $0] }
        case 7:
            let content = choices.bytes(upTo: 48)
            changed = tree.replacing(number) { [.leaf(tag: $0.tag, content: content)] }
        case 8:
            let other = tree.element(choices.int(below: max(tree.count, 1)))
            changed = tree.replacing(number) { other.map { [$0] } ?? [$0] }
        default:
            let (place, mask) = (choices.byte(), choices.byte())
            changed = tree.replacing(number) { [flipped($0, place, mask)] }
        }
        return changed.flatMap(\.bytes)
    }

    private static func rawEdit(_ choices: inout Choices, _ kind: Int, _ der: [UInt8]) -> [UInt8] {
        var der = der
        let place = min(Int(choices.uint16()), der.count)
        switch kind % 3 {
        case 0 where place < der.count: der[place] ^= choices.byte()
        case 1: der.insert(contentsOf: choices.bytes(upTo: 32), at: place)
        default: der.removeLast(min(der.count, Int(choices.byte())))
        }
        return der
    }

    private static func foreign(_ choices: inout Choices) -> [UInt8] {
        Fixtures.authority[choices.pick(Fixtures.authorityNames)] ?? []
    }

    private static func retagged(_ tree: DERTree, _ tag: UInt8) -> DERTree {
        switch tree {
        case .leaf(_, let content): .leaf(tag: tag, content: content)
        case .branch(_, let opening, let children): .branch(tag: tag, opening: opening, children: children)
        }
    }

    private static func flipped(_ tree: DERTree, _ place: UInt8, _ mask: UInt8) -> DERTree {
        guard case .leaf(let tag, var content) = tree, !content.isEmpty else { return tree }
        content[Int(place) % content.count] ^= mask
        return .leaf(tag: tag, content: content)
    }
}
