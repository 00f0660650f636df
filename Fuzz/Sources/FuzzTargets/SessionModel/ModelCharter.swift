import FuzzSupport

/// A charter (SPEC §4.3, §14.1), and what is signed in its session. Signatures are the insecure ones of targets.
struct ModelCharter: Equatable {
    let founder: [UInt8]
    let encoded: [UInt8]
    var admission: UInt8 = 0
    var maximumMembers: UInt64 = 256
    var hasUnknown = false

    var session: [UInt8] { ModelInvite.session(of: encoded) }

    /// What an admission of a key signs (§14.2), and what an entry does (§14.3).
    func admissionMessage(_ key: [UInt8]) -> [UInt8] { Array("multipeer/1 admission".utf8) + [0] + session + key }
    func entryMessage(_ bytes: [UInt8]) -> [UInt8] { Array("multipeer/1 roster entry".utf8) + [0] + session + bytes }

    /// R14.2-1. `chain` has whole admissions.
    func isValid(_ chain: [UInt8], for member: [UInt8]) -> Bool {
        if member == founder { return chain.isEmpty }
        guard !chain.isEmpty, chain.count <= 768, admission == 0 || chain.count == 96 else { return false }
        var admitted = member
        for start in stride(from: 0, to: chain.count, by: 96) {
            let (admitter, signature) = (Array(chain[start..<start + 32]), Array(chain[start + 32..<start + 96]))
            guard Self.isSigned(signature, admissionMessage(admitted), by: admitter) else { return false }
            admitted = admitter
        }
        return admitted == founder
    }

    /// What ``InsecureIdentity`` signs.
    static func sign(_ message: [UInt8], by key: [UInt8]) -> [UInt8] { key + InsecureSum(of: message.span).bytes(32) }

    static func isSigned(_ signature: [UInt8], _ message: [UInt8], by key: [UInt8]) -> Bool {
        signature == sign(message, by: key)
    }
}

extension ModelReader {
    /// R14.1-1. Nobody unites here: of that parameter the judgement alone counts.
    mutating func charter() throws(ModelFault) -> ModelCharter {
        let whole = rest
        let founder = try take(32)
        _ = try take(32)
        var (admission, maximum): (UInt8, UInt64) = (0, 256)
        let found = try fields(1_024, known: [0x02, 0x04, 0x06]) { (type, value) throws(ModelFault) in
            var reader = ModelReader(value)
            if type == 0x02 {
                admission = try reader.byte()
                try reader.end()
                guard admission <= 1 else { throw .unsupported }
            } else if type == 0x06 {
                let uniting = try reader.byte()
                try reader.end()
                guard uniting <= 1 else { throw .unsupported }
            } else {
                maximum = try reader.varint()
                try reader.end()
                guard (2...256).contains(maximum) else { throw .malformed }
            }
        }
        return ModelCharter(
            founder: founder, encoded: Array(whole.prefix(whole.count - rest.count)), admission: admission,
            maximumMembers: maximum, hasUnknown: found.keys.contains { ![0x02, 0x04, 0x06].contains($0) })
    }
}
