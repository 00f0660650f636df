import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzSession: FuzzProgram {}
#endif
