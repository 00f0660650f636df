/// Carries something of the app, which nobody has promised to be `Sendable`, to the one place where it is used: delegates and
/// completion handlers, which the documentation says are called on a private queue. The signatures are Apple's, which do not say
/// `@Sendable`.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
