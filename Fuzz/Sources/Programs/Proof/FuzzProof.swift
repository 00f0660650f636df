import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzProof: FuzzProgram {}
#endif
