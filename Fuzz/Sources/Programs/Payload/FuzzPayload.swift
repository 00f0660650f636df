import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzPayload: FuzzProgram {}
#endif
