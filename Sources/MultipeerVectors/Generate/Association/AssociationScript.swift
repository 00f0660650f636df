internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// An association script while it is written: the implementation plays its part, and the peer sends any frames.
final class AssociationScript {
    let samples: Samples
    /// Whether the implementation's numbers are even.
    let isLesser: Bool
    private let association: ScriptAssociation
    private let runner: AssociationRunner
    private(set) var steps: [JSONValue] = []
    private(set) var failure: String?
    /// Names of all frames that were sent, and of all events.
    private(set) var sent: [String] = []
    private(set) var events: [String] = []

    init(params: JSONValue, samples: Samples) throws {
        self.samples = samples
        isLesser = params["lesser"]?.truth == true
        association = try ScriptAssociation(params: Arguments(params, "params"), crypto: samples.crypto)
        runner = AssociationRunner(crypto: samples.crypto)
    }

    // MARK: Steps

    private func take(_ step: [String: JSONValue]) throws {
        try association.take(Arguments(.object(step), "step"))
        steps.append(.object(step))
    }

    /// What was sent and reported.
    @discardableResult
    func hear() throws -> AssociationScript {
        let (sends, events) = try runner.shown(association.poll())
        steps.append(["actor": "self", "sends": .array(sends), "events": .array(events)])
        sent += sends.compactMap { $0["frame"]?.text }
        self.events += events.compactMap { $0["event"]?.text }
        failure = events.compactMap { $0["code"]?.text }.last { _ in events.last?["event"] == "failed" } ?? failure
        return self
    }

    /// Frames of the peer, each in a record; after each the implementation is heard.
    @discardableResult
    func peer(_ frames: [UInt8]...) throws -> AssociationScript {
        for frame in frames { try quietly(frame).hear() }
        return self
    }

    /// A frame after which the implementation is not heard. `fill` bytes more are at its end.
    @discardableResult
    func quietly(_ frame: [UInt8], fill: Int? = nil) throws -> AssociationScript {
        var cursor = FrameCursor(frame.span)
        guard let next = try cursor.next() else { throw GeneratorFault.cannotBuild("no frame") }
        var step: [String: JSONValue] = [
            "actor": "peer", "frame": .string(FrameNames.name(of: next.rawType)),
            "payload": .hex([UInt8](copying: next.payload)),
        ]
        if let fill { step["fill"] = .integer(fill) }
        try take(step)
        return self
    }

    /// A frame of the peer with `fill` bytes more at its end.
    @discardableResult
    func peer(_ frame: [UInt8], fill: Int) throws -> AssociationScript { try quietly(frame, fill: fill).hear() }

    /// The link ends.
    @discardableResult
    func end() throws -> AssociationScript {
        try take(["actor": "peer", "end": true])
        return try hear()
    }

    /// The link is lost, and another one may continue the association.
    @discardableResult
    func loses() throws -> AssociationScript {
        try take(["actor": "link", "lost": true])
        return try hear()
    }

    /// Another link has opened by RESUMED, and this is what the peer says.
    @discardableResult
    func resumes(after received: UInt64, _ files: (id: UInt64, offset: UInt64)...) throws -> AssociationScript {
        let files = files.map { FilePosition(id: $0.id, offset: $0.offset) }
        try take(["actor": "link", "resumed": ["received": .wide(received), "files": .positions(files)]])
        return try hear()
    }

    @discardableResult
    func clock(_ milliseconds: Int) throws -> AssociationScript {
        try take(["actor": "clock", "advance": .integer(milliseconds)])
        return try hear()
    }

    @discardableResult
    func app(_ what: String, _ members: [String: JSONValue] = [:]) throws -> AssociationScript {
        try take(members.merging(["actor": "app", "do": .string(what)]) { own, _ in own })
        return try hear()
    }

    // MARK: Short forms of the app

    @discardableResult
    func sends(_ text: String, fill: Int? = nil, tag: Int? = nil, times: Int? = nil) throws -> AssociationScript {
        try app(
            "send",
            .some([
                "message": .hex(Array(text.utf8)), "fill": fill.map(JSONValue.integer),
                "tag": tag.map(JSONValue.integer), "times": times.map(JSONValue.integer),
            ]))
    }

    @discardableResult
    func takes(_ count: Int = 1) throws -> AssociationScript { try app("take", ["messages": .integer(count)]) }

    @discardableResult
    func opens(_ name: String = "chat", credit: UInt64 = 32_768) throws -> AssociationScript {
        try app("openStream", ["name": .hex(Array(name.utf8)), "credit": .wide(credit)])
    }

    @discardableResult
    func writes(_ id: UInt64, _ text: String, fill: Int? = nil) throws -> AssociationScript {
        try app(
            "write", .some(["stream": .wide(id), "bytes": .hex(Array(text.utf8)), "fill": fill.map(JSONValue.integer)]))
    }

    @discardableResult
    func stream(_ what: String, _ id: UInt64, code: UInt64? = nil, count: Int? = nil) throws -> AssociationScript {
        try app(
            what, .some(["stream": .wide(id), "code": code.map(JSONValue.wide), "count": count.map(JSONValue.integer)]))
    }

    /// A file that the app offers.
    @discardableResult
    func offers(
        size: Int = 5, name: String = "hello.txt", type: Int? = nil, tag: [UInt8]? = nil, modified: UInt64? = nil,
        manifest: UInt64? = nil
    ) throws -> AssociationScript {
        try app(
            "offerFile",
            .some([
                "name": .hex(Array(name.utf8)), "size": .integer(size), "type": type.map(JSONValue.integer),
                "tag": tag.map(JSONValue.hex), "modified": modified.map(JSONValue.wide),
                "manifest": manifest.map(JSONValue.wide),
            ]))
    }

    @discardableResult
    func supplies(_ id: UInt64, _ text: String = "hello", fill: Int? = nil) throws -> AssociationScript {
        try app(
            "supply", .some(["file": .wide(id), "bytes": .hex(Array(text.utf8)), "fill": fill.map(JSONValue.integer)]))
    }

    @discardableResult
    func accepts(
        _ id: UInt64, offset: UInt64? = nil, digest: [UInt8]? = nil, whole: [UInt8]? = nil, credit: UInt64? = nil,
        looks: Bool? = nil
    ) throws -> AssociationScript {
        try app(
            "acceptFile",
            .some([
                "file": .wide(id), "offset": offset.map(JSONValue.wide), "sha256": digest.map(JSONValue.hex),
                "whole": whole.map(JSONValue.hex), "credit": credit.map(JSONValue.wide),
                "looks": looks.map(JSONValue.bool),
            ]))
    }

    @discardableResult
    func file(_ what: String, _ id: UInt64, reason: Int? = nil, count: Int? = nil) throws -> AssociationScript {
        try app(
            what,
            .some(["file": .wide(id), "reason": reason.map(JSONValue.integer), "count": count.map(JSONValue.integer)]))
    }

    // MARK: Numbers and hashes

    /// The number of the peer's stream or file with this index, from 0.
    func peers(_ index: UInt64 = 0) -> UInt64 { 2 * index + (isLesser ? 1 : 0) }
    /// The same for the implementation's.
    func own(_ index: UInt64 = 0) -> UInt64 { 2 * index + (isLesser ? 0 : 1) }
    func sha256(_ text: String, fill: Int = 0) -> [UInt8] {
        samples.crypto.sha256(Array(text.utf8) + [UInt8](repeating: Arguments.filler, count: fill))
    }
}

extension [String: JSONValue] {
    /// The members that are there.
    fileprivate static func some(_ members: [String: JSONValue?]) -> [String: JSONValue] {
        members.compactMapValues(\.self)
    }
}

extension AssociationScript: NumberingSender {
    var hasLesserKey: Bool { !isLesser }
}

/// Collects the association scripts of one file.
final class AssociationWriter {
    private let samples: Samples
    private let faults: FaultList
    private var cases: CaseList

    init(_ name: String, section: String, subject: SwiftSubject) {
        cases = CaseList(
            "association/" + name, topic: "association-" + name, type: .associationScript, section: section)
        samples = Samples(crypto: subject.crypto)
        faults = subject.faults
    }

    /// What a script begins with.
    struct Setting {
        var isLesser = true
        var maximumMessage = 1 << 20
        var peerMaximum: Int?
        var keepAlive: (ping: Int, silent: Int?)?
        /// Whether frames are kept until they are acknowledged.
        var keeps = false
        /// Whether an implementation may have another bound (RFC 2119's SHOULD).
        var isRecommended = false

        var params: JSONValue {
            var params: [String: JSONValue] = [
                "lesser": .bool(isLesser), "maximumMessage": .integer(maximumMessage),
            ]
            if keeps { params["keeps"] = true }
            if let peerMaximum { params["peerMaximum"] = .integer(peerMaximum) }
            if let keepAlive {
                params["keepAlive"] = .members([
                    "ping": .integer(keepAlive.ping), "silent": keepAlive.silent.map(JSONValue.integer),
                ])
            }
            return .object(params)
        }
    }

    /// The script has no fault. `sends` and `tells` name frames and events that have to be there.
    func works(
        _ comment: String, _ requirements: [String], flags: [String] = [], section: String? = nil,
        _ setting: Setting = Setting(), _ body: (AssociationScript) throws -> Void
    ) throws { try add(nil, comment, requirements, flags, section, setting, body) }

    /// The last frame is a fault.
    func fails(
        _ code: String, _ flag: String, _ comment: String, _ requirements: [String], section: String? = nil,
        _ setting: Setting = Setting(), _ body: (AssociationScript) throws -> Void
    ) throws { try add(code, comment, requirements, [flag], section, setting, body) }

    /// Plays rules: what the app does first, and then the frames of the peer.
    func play(
        _ rules: [AssociationRule], _ setting: Setting = Setting(), prefix: String = "",
        behind prelude: (AssociationScript) throws -> Void = { _ in }
    ) throws {
        for rule in rules where !rule.vectors.isEmpty {
            try fails(
                rule.code.registeredName, rule.flag, prefix + rule.comment, rule.requirements, section: rule.section,
                setting
            ) { script in
                try prelude(script)
                for frame in try rule.frames(script) { try script.peer(frame) }
            }
        }
    }

    private func add(
        _ code: String?, _ comment: String, _ requirements: [String], _ flags: [String], _ section: String?,
        _ setting: Setting, _ body: (AssociationScript) throws -> Void
    ) throws {
        let head = CaseList.Head(
            comment: comment, requirements: requirements, flags: flags, section: section,
            importance: setting.isRecommended ? .should : .must)
        let script = try AssociationScript(params: setting.params, samples: samples)
        try body(script)
        let declared: VectorResult = code.map(VectorResult.rejection) ?? .accept
        if script.failure != code {
            faults.add(
                .wrongVerdict(
                    id: cases.name(of: head), declared: declared,
                    answer: (script.failure ?? "no fault") + " "
                        + JSONWriter.line(.array(script.steps.suffix(4))).shortened))
        }
        cases.append(head, to: setting.params, steps: script.steps, declared)
    }

    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) { try cases.file() }
}
