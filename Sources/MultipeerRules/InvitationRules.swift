import MultipeerScriptedPeer
import MultipeerWire

/// PEER_INFO, INVITE and its answers: SPEC §8.
package enum InvitationRules {
    // MARK: INVITE

    package static let invite: [LinkRule] = [
        .invite("identity-kind", "identityKind 2", "R8.2-2", .unsupported, "UnknownCritical") {
            $0.invite(identityKind: 2)
        },
        .invite("preference-3", "preference 3", "R8.2-1", .malformed, "ValueOutOfRange") { $0.invite(preference: 3) },
        .invite("timeout-zero", "timeout 0", "R8.2-1", .malformed, "ValueOutOfRange") { $0.invite(timeout: 0) },
        .invite("timeout-too-long", "timeout 600,001", "R8.2-1", .malformed, "ValueOutOfRange") {
            $0.invite(timeout: 600_001)
        },
        .invite("session-kind", "sessionKind 3", "R8.2-2", .unsupported, "UnknownCritical") {
            $0.invite(sessionKind: 3)
        },
        .invite("other-founder", "a new session of another founder", "R8.2-5", .malformed, "ValueOutOfRange") {
            $0.invite(charter: WireBytes.charter(founder: $0.receiversKey))
        },
        .invite(
            "fields-before-founder", "another founder, and an even field, which comes first", "R8.2-5 R18-1",
            .unsupported, "Precedence"
        ) { $0.invite(fields: WireBytes.field(4, []), charter: WireBytes.charter(founder: $0.receiversKey)) },
        .invite("even-field", "an even field", "R3.4-3", .unsupported, "UnknownCritical") {
            $0.invite(fields: WireBytes.field(4, []))
        },
        .invite("fields-descending", "fields descend", "R3.4-1", .malformed, "NotAscending") {
            $0.invite(fields: WireBytes.field(3, []) + WireBytes.field(1, []))
        },
        .invite("even-parameter", "an even parameter of its charter", "R3.4-3", .unsupported, "UnknownCritical") {
            $0.invite(charter: WireBytes.charter(founder: $0.key, parameters: WireBytes.evenField))
        }.withoutVectors,
        .invite("context-too-long", "a context of 16,385 bytes", "R3.3-1", .malformed, "LengthOutOfRange") {
            $0.invite(context: [UInt8](repeating: 0x63, count: 16_385))
        }.withoutVectors,
        .invite("trailing-byte", "a byte behind its end", "R3.3-2", .malformed, "TrailingBytes") {
            $0.invite(rest: [0])
        }.withoutVectors,
        .invite(
            "order-of-faults", "an unknown identityKind and a timeout of 0: the first fault counts", "R18-1",
            .unsupported, "Precedence"
        ) { $0.invite(identityKind: 9, timeout: 0) }.withoutVectors,
    ]

    // MARK: Sessions that exist

    /// INVITE of kind 0, or of kind 2, which only the initiator of a link sends.
    package static func chains(kind: UInt8) -> [LinkRule] {
        let topic = kind == 0 ? "chain" : "member-chain"
        let founder = "a founder"
        let invalid = "R8.2-8 R14.2-1"
        let receivers: [StreamRole] = kind == 0 ? StreamRole.allCases : [.responder]
        func bad(
            _ name: String, _ comment: String, _ requirements: String, _ code: CloseCode, _ flag: String,
            live: [StreamRole], _ frame: @escaping @Sendable (any LinkSender) throws -> [UInt8]
        ) -> LinkRule {
            LinkRule(
                "8.2-\(topic)-\(name)", "INVITE of kind \(kind)\(comment)", requirements, at: .identified, code, flag,
                receivers: live, vectors: receivers
            ) { [try frame($0)] }
        }
        func badChain(
            _ name: String, _ comment: String, _ flag: String,
            _ chain: @escaping @Sendable (any LinkSender) throws -> [UInt8]
        ) -> LinkRule {
            bad(name, ": \(comment)", invalid, .entryInvalid, flag, live: receivers) {
                $0.invite(
                    fields: WireBytes.chainField(try chain($0)), charter: try $0.session(by: founder), sessionKind: kind
                )
            }
        }
        return [
            bad(
                "missing", " without a chain", "R8.2-7", .malformed, "MissingField", live: StreamRole.allCases
            ) { $0.invite(sessionKind: kind) },
            badChain("none", "an empty chain of somebody who is not the founder", "WrongChain") { _ in [] },
            badChain("other-member", "the chain of another member", "MisboundKey") {
                try $0.chain(of: $0.receiversKey)
            },
            badChain("other-founder", "a chain of another session", "WrongTranscript") {
                try $0.chain(of: $0.key, by: "another founder")
            },
            badChain("signature", "a chain with a bit changed", "BadSignature") {
                var chain = try $0.chain(of: $0.key)
                chain[95] ^= 1
                return chain
            },
        ]
    }

    package static let chainFields: [LinkRule] = [
        .invite(
            "chain-for-new", of: "to a new session with a chain", "R8.2-7", .malformed, "ForbiddenField"
        ) { $0.invite(fields: WireBytes.chainField([])) },
        .invite("chain-cut", of: "with 95 bytes of chain", "R8.2-7", .malformed, "CutElement") {
            $0.invite(fields: WireBytes.chainField([UInt8](repeating: 1, count: 95)), sessionKind: 0)
        },
        .invite("chain-too-long", of: "with a chain of nine admissions", "R8.2-7", .malformed, "LengthOutOfRange") {
            $0.invite(fields: WireBytes.chainField([UInt8](repeating: 1, count: 9 * 96)), sessionKind: 0)
        }.withoutVectors,
        .invite(
            "chain-before-even",
            of: "with a chain of one byte, and an unknown field of even type: the first fault counts", "R8.2-7 R18-1",
            .malformed, "Precedence"
        ) { $0.invite(fields: WireBytes.chainField([1]) + WireBytes.evenField, sessionKind: 0) }.withoutVectors,
    ]

    /// INVITE of kind 2 that a responder of the link sends.
    package static let kind2: [LinkRule] = [
        LinkRule(
            "14.8-kind-2-by-responder", "INVITE of kind 2 from the responder of the link", "R14.8-1", at: .identified,
            .unexpectedFrame, "UnexpectedFrame", receivers: [.initiator]
        ) {
            [
                $0.invite(
                    fields: WireBytes.chainField(try $0.chain(of: $0.key)), charter: try $0.session(), sessionKind: 2)
            ]
        },
        LinkRule(
            "14.8-place-before-chain", "INVITE of kind 2 from the responder, whose chain is not valid",
            "R14.8-1 R8.2-8",
            at: .identified, .unexpectedFrame, "Precedence", receivers: [.initiator]
        ) { [$0.invite(fields: WireBytes.chainField([]), charter: try $0.session(), sessionKind: 2)] },
    ]

    // MARK: Answers

    package static let accept: [LinkRule] = [
        .answer("8.3-identity-kind", "ACCEPT with identityKind 2", "R8.3-2", .unsupported, "UnknownCritical") {
            WireBytes.accept(identityKind: 2)
        },
        .answer("8.3-preference-3", "ACCEPT with preference 3", "R8.3-2", .malformed, "ValueOutOfRange") {
            WireBytes.accept(preference: 3)
        },
        .answer("8.3-outcome-2", "ACCEPT with outcome 2", "R8.3-2", .malformed, "ValueOutOfRange") {
            WireBytes.accept(outcome: 2)
        },
        .answer("8.3-even-field", "ACCEPT with an even field", "R3.4-3", .unsupported, "UnknownCritical") {
            WireBytes.accept(fields: WireBytes.field(2, []))
        },
    ]

    package static let decline: [LinkRule] = [
        .decline("surplus-detail", "declined with a detail", 1, [0]),
        .decline("missing-detail", "encryption_policy without a detail", 3, []),
        .decline("bad-detail", "encryption_policy with preference 3", 3, [3]),
        .decline("timeout-detail", "timeout with a detail", 4, [1, 2]),
        .decline("no-session-detail", "no_session with a detail", 6, [0]),
        .decline("surplus-detail-full", "full with a detail", 7, [0]),
        .answer(
            "8.4-detail-too-long", "DECLINE: a detail of 65 bytes", "R3.3-1", .malformed, "LengthOutOfRange"
        ) { WireBytes.decline(99, detail: [UInt8](repeating: 0, count: 65)) }.withoutVectors,
    ]

    // MARK: Endings in good order

    /// An invitation that ends without a fault: the frame, and what it means to the receiver.
    package struct Ending: Sendable {
        /// The ID of the conformance case.
        package let id: String
        package let reason: UInt8
        package var detail: [UInt8] = []
        /// How the link ends: a name of SPEC §18.
        package let end: String
    }

    /// DECLINE to a receiver that has invited (R8.4-1, R8.4-3).
    package static let declines = [
        Ending(id: "8.4-declined", reason: 1, end: "declined"), Ending(id: "8.4-busy", reason: 2, end: "declined"),
        Ending(id: "8.4-policy", reason: 3, detail: [2], end: "policy_conflict"),
        Ending(id: "8.4-timeout", reason: 4, end: "timed_out"),
        Ending(id: "8.4-no-session", reason: 6, end: "declined"), Ending(id: "8.4-full", reason: 7, end: "declined"),
        Ending(id: "8.4-unknown-reason", reason: 0x77, detail: [1, 2, 3], end: "declined"),
    ]

    /// CANCEL to a receiver that was invited (R8.5-1).
    package static let cancels = [
        Ending(id: "8.5-cancel", reason: 1, end: "declined"),
        Ending(id: "8.5-cancel-timeout", reason: 2, end: "timed_out"),
        Ending(id: "8.5-unknown-reason", reason: 9, end: "declined"),
    ]
}

extension LinkRule {
    fileprivate static func invite(
        _ topic: String, _ what: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frame: @escaping @Sendable (any LinkSender) -> [UInt8]
    ) -> LinkRule {
        invite(topic, of: "with \(what)", requirements, code, flag, frame)
    }

    fileprivate static func invite(
        _ topic: String, of what: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frame: @escaping @Sendable (any LinkSender) -> [UInt8]
    ) -> LinkRule {
        LinkRule("8.2-\(topic)", "INVITE \(what)", requirements, at: .identified, code, flag) { [frame($0)] }
    }

    fileprivate static func answer(
        _ id: String, _ comment: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frame: @escaping @Sendable () -> [UInt8]
    ) -> LinkRule {
        LinkRule(id, comment, requirements, at: .inviting, code, flag) { _ in [frame()] }
    }

    fileprivate static func decline(_ topic: String, _ comment: String, _ reason: UInt8, _ detail: [UInt8]) -> LinkRule
    {
        answer("8.4-\(topic)", "DECLINE: \(comment)", "R8.4-1", .malformed, "LengthOutOfRange") {
            WireBytes.decline(reason, detail: detail)
        }
    }
}
