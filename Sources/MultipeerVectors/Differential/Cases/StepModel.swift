/// A `NodeScript` or `DatagramScript` without what is expected.
struct StepModel: Equatable {
    var params: JSONValue
    var steps: [JSONValue]
}
