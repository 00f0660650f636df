package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs, so that the run continues and names it. The limit lies far beyond what a test needs on a
    /// machine whose processors do other work: a shorter one would measure the machine.
    package static var endsIfItHangs: Self { .timeLimit(.minutes(10)) }
}
