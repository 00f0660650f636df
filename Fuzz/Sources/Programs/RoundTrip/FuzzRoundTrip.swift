import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzRoundTrip: FuzzProgram {}
#endif
