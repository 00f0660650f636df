/// DER as a tree that can be changed and written again with lengths that fit, so that a change gets past a reader's first
/// look at lengths. Reads and writes by itself; shares nothing with the code under test.
indirect enum DERTree {
    case leaf(tag: UInt8, content: [UInt8])
    /// `opening` comes before the children: the count of unused bits of a BIT STRING, or nothing.
    case branch(tag: UInt8, opening: [UInt8], children: [DERTree])

    /// The one element that the bytes are; nil when they are none, or more.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let tree = Self.next(&rest, depth: 0), rest.isEmpty else { return nil }
        self = tree
    }

    var tag: UInt8 {
        switch self {
        case .leaf(let tag, _), .branch(let tag, _, _): tag
        }
    }

    var children: [DERTree] { if case .branch(_, _, let children) = self { children } else { [] } }

    /// How many elements there are, this one included.
    var count: Int { children.reduce(1) { $0 + $1.count } }

    var bytes: [UInt8] {
        let content: [UInt8]
        switch self {
        case .leaf(_, let bytes): content = bytes
        case .branch(_, let opening, let children): content = opening + children.flatMap(\.bytes)
        }
        return [tag] + Self.length(content.count) + content
    }

    /// The element with this number, counted from the root downwards and from left to right.
    func element(_ number: Int) -> DERTree? {
        guard number > 0 else { return self }
        var left = number - 1
        for child in children {
            if left < child.count { return child.element(left) }
            left -= child.count
        }
        return nil
    }

    /// The same tree with other elements in the place of one.
    func replacing(_ number: Int, _ change: (DERTree) -> [DERTree]) -> [DERTree] {
        guard number > 0 else { return change(self) }
        guard case .branch(let tag, let opening, let children) = self else { return [self] }
        var left = number - 1
        var changed: [DERTree] = []
        for child in children {
            changed += (0..<child.count).contains(left) ? child.replacing(left, change) : [child]
            left -= child.count
        }
        return [.branch(tag: tag, opening: opening, children: changed)]
    }

    private static func next(_ rest: inout ArraySlice<UInt8>, depth: Int) -> DERTree? {
        guard depth < 24, let tag = rest.popFirst(), let length = length(&rest), length <= rest.count else {
            return nil
        }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        // Extensions and keys are DER inside of strings.
        let opening = tag == 0x03 ? Array(content.prefix(1)) : []
        if tag & 0x20 != 0 || tag == 0x04 || (tag == 0x03 && opening == [0]),
            let children = list(content.dropFirst(opening.count), depth: depth + 1), !children.isEmpty
        {
            return .branch(tag: tag, opening: opening, children: children)
        }
        return .leaf(tag: tag, content: Array(content))
    }

    private static func list(_ bytes: ArraySlice<UInt8>, depth: Int) -> [DERTree]? {
        var (rest, list): (ArraySlice<UInt8>, [DERTree]) = (bytes, [])
        while !rest.isEmpty {
            guard let tree = next(&rest, depth: depth) else { return nil }
            list.append(tree)
        }
        return list
    }

    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func length(_ value: Int) -> [UInt8] {
        if value < 0x80 { return [UInt8(value)] }
        if value < 0x100 { return [0x81, UInt8(value)] }
        if value < 0x1_0000 { return [0x82, UInt8(value >> 8), UInt8(value & 0xFF)] }
        return [0x83, UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}
