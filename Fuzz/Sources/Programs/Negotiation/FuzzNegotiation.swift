import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzNegotiation: FuzzProgram {}
#endif
