/// One question for both implementations.
enum FuzzCase: Equatable {
    /// A case of a stateless group.
    case test(VectorGroupType, params: JSONValue, inputs: JSONValue)
    /// A link, step by step.
    case script(ScriptModel)
    /// A node, step by step.
    case node(StepModel)
    /// A path for datagrams, step by step.
    case path(StepModel)

    var group: VectorGroupType {
        switch self {
        case .test(let group, _, _): group
        case .script: .linkScript
        case .node: .nodeScript
        case .path: .datagramScript
        }
    }

    var params: JSONValue {
        switch self {
        case .test(_, let params, _): params
        case .script(let model): model.params
        case .node(let model), .path(let model): model.params
        }
    }
}
