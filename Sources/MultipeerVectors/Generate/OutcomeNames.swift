@_spi(Observation) internal import MultipeerCore

/// The names of SPEC §18.
enum OutcomeNames {
    /// The layer of a name; `any` for what is none.
    static func layer(of code: String) -> String { ReportedOutcome(code).layer }
}
