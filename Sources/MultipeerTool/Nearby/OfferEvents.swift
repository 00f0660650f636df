import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// An offer waits for a person to be asked about it.
struct OfferWaits: Report {
    let file: OfferedFile

    var members: [(String, JSON)] {
        [
            ("event", .string("fileWaits")), ("peer", .string(file.member.id.key.description)),
            ("name", file.member.id.jsonName), ("file", .string(file.name)), ("localName", .string(file.localName)),
            ("size", .integer(file.size)),
        ]
    }

    /// The question says it to people.
    var leastVerbosity: Verbosity { .verbose }

    func text(_ palette: Palette) -> String {
        palette.dim("\(SafeText.escape(file.member.name)) offers \(OfferText.line(file))")
    }
}

/// Several files of one question that were not taken, for people.
struct OffersRefused: Report {
    let files: [OfferedFile]
    let reply: InvitationReply

    /// Programs hear of each file.
    var members: [(String, JSON)] { [] }

    func text(_ palette: Palette) -> String {
        let sender = files.first.map { SafeText.escape($0.member.name) } ?? ""
        return "\(sender) offers \(OfferText.summary(files)): \(reply.words)"
    }
}

extension InvitationReply {
    /// What has become of an offer, in words.
    var words: String {
        switch self {
        case .accepted, .always: "accepted"
        case .declined: "declined"
        case .unanswered: "nobody answered in time"
        case .crowded: "too many questions wait"
        case .withdrawn: "withdrawn"
        }
    }

    /// The same, in events.
    var name: String {
        switch self {
        case .accepted, .always: "accepted"
        case .declined: "declined"
        case .unanswered: "unanswered"
        case .crowded: "busy"
        case .withdrawn: "withdrawn"
        }
    }
}
