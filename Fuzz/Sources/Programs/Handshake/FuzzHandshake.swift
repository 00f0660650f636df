import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzHandshake: FuzzProgram {}
#endif
