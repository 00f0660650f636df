/// Plays a `Session`: either peer of a transcript against the recorded bytes of the other.
struct SessionRunner {
    let scripts: ScriptRunner

    func run(
        _ test: VectorTest, params: JSONValue, on subject: any VectorSubject
    ) throws(SubjectFault) -> CaseVerdict {
        for role in ["initiator", "responder"] {
            let verdict = try scripts.run(
                Self.steps(test.steps ?? [], of: role), params: try Self.side(params, role), on: subject)
            switch verdict {
            case .passed: continue
            case .failed(let text): return .failed("\(role): \(text)")
            case .skipped, .hang, .fault: return verdict
            }
        }
        return .passed
    }

    /// The steps as a `LinkScript` of one peer.
    static func steps(_ steps: [JSONValue], of role: String) -> [JSONValue] {
        steps.compactMap { step in
            guard case .object(var members) = step, let actor = step["actor"]?.text else { return nil }
            switch (actor == role, step["do"] != nil) {
            case (true, true): members["actor"] = "app"
            case (true, false): members["actor"] = "self"
            case (false, true): return nil
            case (false, false):
                guard let bytes = step["bytes"]?.text, !bytes.isEmpty else { return nil }
                return ["actor": "peer", "bytes": .string(bytes)]
            }
            return .object(members)
        }
    }

    /// The parameters as those of a `LinkScript` of one peer.
    static func side(_ params: JSONValue, _ role: String) throws(SubjectFault) -> JSONValue {
        let isInitiator = role == "initiator"
        guard case .object(var side)? = params[role], let peer = params[isInitiator ? "responder" : "initiator"],
            let initiatorKey = params["initiatorKey"], let responderKey = params["responderKey"]
        else { throw .badQuestion("params.\(role)") }
        side["role"] = .string(role)
        side["suite"] = params["suite"]
        side["handshakeHash"] = params["handshakeHash"]
        side["sendKey"] = isInitiator ? initiatorKey : responderKey
        side["receiveKey"] = isInitiator ? responderKey : initiatorKey
        side["peer"] = peer
        return .object(side)
    }
}
