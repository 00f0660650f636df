import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzEntries: FuzzProgram {}
#endif
