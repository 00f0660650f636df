package import MultipeerScriptedPeer
package import MultipeerWire

/// A rule of SPEC.md as data: at a place of a link these frames come, and the receiver closes with this code.
///
/// Three players read the catalogue, and none of them states a rule again. The vector generator plays it against the core and
/// writes down what the core answers; every implementation plays those vectors, the Python reference among them. The conformance
/// tester plays it against live peers. What is no such rule, because it needs a clock, an app or an answer, is a script of the
/// generator or a case of the tester.
package struct Rule<Sender>: Sendable {
    /// Section and topic. It is the ID of the conformance case, so it is stable and never reused.
    package let id: String
    /// One line. It is the comment of the vectors, and the title of the conformance case.
    package let comment: String
    /// What SPEC.md calls the requirements that the rule shows.
    package let requirements: [String]
    /// Requirements that only the conformance case cites; the vectors that show them are others.
    package let alsoShows: [String]
    package let section: String
    package let place: Place
    /// What the receiver closes with.
    package let code: CloseCode
    /// What is wrong: a flag of the vectors.
    package let flag: String
    /// Which end of the stream the receiver may be.
    package let receivers: [StreamRole]
    /// For which of them there is a vector. Version 1 of the vectors is frozen in its order: an empty list is a rule that came
    /// later, or that no vector of a link shows.
    package let vectors: [StreamRole]
    /// Whether a live peer can be brought to the place, and shows the code there.
    package let isLive: Bool
    package let frames: @Sendable (Sender) throws -> [[UInt8]]

    package init(
        _ id: String, _ comment: String, _ requirements: String, also: String = "", at place: Place,
        _ code: CloseCode, _ flag: String, section: String? = nil, receivers: [StreamRole] = StreamRole.allCases,
        vectors: [StreamRole]? = nil, isLive: Bool = true,
        _ frames: @escaping @Sendable (Sender) throws -> [[UInt8]]
    ) {
        self.id = id
        self.comment = comment
        self.requirements = requirements.split(separator: " ").map(String.init)
        alsoShows = also.split(separator: " ").map(String.init)
        self.section = section ?? String(id.prefix { $0 != "-" })
        (self.place, self.code, self.flag) = (place, code, flag)
        (self.receivers, self.vectors) = (receivers, vectors ?? receivers)
        self.isLive = isLive
        self.frames = frames
    }

    /// The same rule without its vectors.
    package var withoutVectors: Rule {
        Rule(
            id, comment, requirements.joined(separator: " "), also: alsoShows.joined(separator: " "), at: place, code,
            flag,
            section: section, receivers: receivers, vectors: [], isLive: isLive, frames)
    }
}

/// A rule whose frames may use all that the sender knows of the link.
package typealias LinkRule = Rule<any LinkSender>

/// A rule of an open link whose frames name streams and files, and need nothing else. Its vectors have no keys.
package typealias AssociationRule = Rule<any NumberingSender>

extension CloseCode {
    /// The name of SPEC §18; a number for what has none.
    package var registeredName: String {
        CloseCode.registry.first { $0.code == self }?.name ?? "0x" + String(rawValue, radix: 16)
    }
}
