import FuzzSupport
import MultipeerCore
import MultipeerTesting
import MultipeerWire

/// A responder that gets a hello, against what SPEC §7.3 and §7.5 let it answer.
struct ResponderNegotiation {
    let setting: NegotiationSetting

    enum Answer: Equatable {
        case nothing
        case refusal(code: UInt8, versions: [UInt16], suites: [UInt16])
        case hello(version: UInt16, suite: UInt16)
    }

    func check(_ body: [UInt8]) throws {
        var peer = setting.link(.responder)
        setting.feed(0x01, body, to: &peer)
        let sent = peer.transmit(at: NegotiationSetting.start)
        peer.drain(at: NegotiationSetting.start)
        let (answer, cause) = model(body)
        try requireEqual(try parse(sent), answer, "the answer to \(body)")
        try peer.failure?.requireReadable()
        try requireEqual(peer.failure?.cause.kind, cause, "what the responder's app is told")
        if case .hello = answer {
            try requireEqual(peer.link.stage, .proof, "stage")
            try require(peer.link.deadline != nil, "no deadline for the proof")
        } else {
            try require(peer.link.isOutputFinished, "a stream that is not closed after a refusal (R7.5-1)")
            setting.feed(0x10, [UInt8](repeating: 0, count: 18), to: &peer)
            try require(peer.transmit(at: NegotiationSetting.start).isEmpty, "bytes after a refusal")
        }
    }

    /// What SPEC.md asks for, and what the app hears.
    private func model(_ body: [UInt8]) -> (Answer, LinkFailureCause.Kind?) {
        guard (39...4_096).contains(body.count) else { return (.nothing, .malformed) }  // R6.2-1, R7.5-5
        if setting.isBusy { return (.refusal(code: 3, versions: [], suites: []), .refused) }
        guard let hello = try? ModelHello.Initiator(body) else {
            return (.refusal(code: 4, versions: [], suites: []), .malformed)
        }
        guard let version = hello.versions.first(where: { $0 == ModelHello.draft }) else {
            return (.refusal(code: 1, versions: [ModelHello.draft], suites: []), .noCommonVersion)
        }
        let supported = setting.suites.map(\.rawValue)
        guard let suite = hello.suites.first(where: supported.contains) else {
            return (.refusal(code: 2, versions: [], suites: supported), .noCommonSuite)
        }
        if setting.isWeak(hello.ephemeral, own: setting.firstRandomBytes) { return (.nothing, .handshakeFailed) }
        return (.hello(version: version, suite: suite), nil)
    }

    /// Magic and a clear record; after a hello one record more, with PROOF (R9.5-1, R19-2).
    private func parse(_ sent: [UInt8]) throws -> Answer {
        if sent.isEmpty { return .nothing }
        var bytes = ModelBytes(sent)
        try requireEqual(try bytes.take(8), [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00], "magic")
        let kind = try bytes.take(1)[0]
        let body = try bytes.take(Int(try bytes.u16()))
        if kind == 0x02 {
            try bytes.end()
            let refusal = try ModelHello.Refusal(body)
            return .refusal(code: refusal.code, versions: refusal.versions, suites: refusal.suites)
        }
        try requireEqual(kind, 0x01, "the first record's kind")
        let hello = try ModelHello.Responder(body)
        try require(hello.extensions.isEmpty, "an extension that no version knows")
        try requireEqual(try bytes.take(1)[0], 0x10, "the second record's kind")
        let length = Int(try bytes.u16())
        // PROOF, and padding up to 1,024 bytes with the header of the record (R6.5-1).
        try requireEqual(length, 1_024 - 3, "the record with PROOF")
        _ = try bytes.take(length)
        try bytes.end()
        return .hello(version: hello.version, suite: hello.suite)
    }
}

extension LinkFailureCause {
    /// Causes of a handshake, without their details.
    enum Kind: Equatable {
        case malformed, illegalChoice, handshakeFailed, noCommonVersion, noCommonSuite, refused, other
    }

    var kind: Kind {
        switch self {
        case .malformed: .malformed
        case .violation(.illegalChoice): .illegalChoice
        case .violation(.handshakeFailed): .handshakeFailed
        case .incompatible(.noCommonVersion): .noCommonVersion
        case .incompatible(.noCommonSuite): .noCommonSuite
        case .incompatible(.refused): .refused
        default: .other
        }
    }
}
