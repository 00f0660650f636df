/// The clear bodies of SPEC §7, decoded from its text.
enum ModelHello {
    typealias Malformed = ModelBytes.Malformed

    struct Extension: Equatable {
        let type: UInt16
        let data: [UInt8]
    }

    struct Initiator: Equatable {
        let versions: [UInt16]
        let suites: [UInt16]
        let extensions: [Extension]
        let ephemeral: [UInt8]

        /// SPEC §7.1.
        init(_ body: [UInt8]) throws(Malformed) {
            var bytes = ModelBytes(body)
            versions = try ModelHello.values(&bytes, 2...64)
            suites = try ModelHello.values(&bytes, 2...64)
            guard Set(versions).count == versions.count, Set(suites).count == suites.count else { throw Malformed() }
            extensions = try ModelHello.extensions(&bytes)
            ephemeral = try bytes.take(32)
            try bytes.end()
        }
    }

    struct Responder: Equatable {
        let version: UInt16
        let suite: UInt16
        let extensions: [Extension]
        let ephemeral: [UInt8]
        let confirmation: [UInt8]

        /// SPEC §7.3.
        init(_ body: [UInt8]) throws(Malformed) {
            var bytes = ModelBytes(body)
            version = try bytes.u16()
            suite = try bytes.u16()
            extensions = try ModelHello.extensions(&bytes)
            ephemeral = try bytes.take(32)
            confirmation = try bytes.take(16)
            try bytes.end()
        }
    }

    struct Refusal: Equatable {
        let code: UInt8
        let versions: [UInt16]
        let suites: [UInt16]

        /// SPEC §7.5.
        init(_ body: [UInt8]) throws(Malformed) {
            var bytes = ModelBytes(body)
            code = try bytes.take(1)[0]
            versions = try ModelHello.values(&bytes, 0...64)
            suites = try ModelHello.values(&bytes, 0...64)
            try bytes.end()
        }
    }

    /// SPEC §7.2.
    static let draft: UInt16 = 0xFF04

    /// SPEC §7.4.
    static func isGrease(_ value: UInt16) -> Bool { (0..<16).contains { value == 0x0A0A + 0x1010 * UInt16($0) } }

    private static func values(_ bytes: inout ModelBytes, _ limits: ClosedRange<Int>) throws(Malformed) -> [UInt16] {
        var list = try bytes.vector(limits)
        var values: [UInt16] = []
        while !list.isAtEnd { values.append(try list.u16()) }
        return values
    }

    private static func extensions(_ bytes: inout ModelBytes) throws(Malformed) -> [Extension] {
        var list = try bytes.vector(0...3_072)
        var extensions: [Extension] = []
        while !list.isAtEnd {
            let type = try list.u16()
            var data = try list.vector(0...2_048)
            var copy: [UInt8] = []
            while !data.isAtEnd { copy += try data.take(1) }
            guard extensions.allSatisfy({ $0.type < type }) else { throw Malformed() }
            extensions.append(Extension(type: type, data: copy))
        }
        return extensions
    }
}
