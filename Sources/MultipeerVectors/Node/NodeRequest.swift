internal import MultipeerCrypto

/// A step of the app in a `NodeScript`. Links are named by the script's numbers.
enum NodeRequest {
    /// To the node's session; to a new one, which has this nonce, if there is one.
    case invite(Int, nonce: [UInt8]?)
    case accept(Int)
    case decline(Int)
    case leave
    case comeBack
    case dial(IdentityKey)
    case disconnect(IdentityKey)
    case block(IdentityKey)
    case lift(IdentityKey)
    case send([UInt8], to: IdentityKey)

    init(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("do") {
        case "invite":
            self = .invite(try step.number("link"), nonce: step.has("nonce") ? try step.bytes("nonce") : nil)
        case "accept": self = .accept(try step.number("link"))
        case "decline": self = .decline(try step.number("link"))
        case "leave": self = .leave
        case "comeBack": self = .comeBack
        case "dial": self = .dial(try Self.member(step))
        case "disconnect": self = .disconnect(try Self.member(step))
        case "block": self = .block(try Self.member(step))
        case "lift": self = .lift(try Self.member(step))
        case "send": self = .send(try step.bytes("bytes"), to: try Self.member(step))
        default: throw .badQuestion("step.do")
        }
    }

    private static func member(_ step: Arguments) throws(SubjectFault) -> IdentityKey {
        guard let key = try? IdentityKey(rawBytes: try step.bytes("member")) else { throw .badQuestion("step.member") }
        return key
    }
}
