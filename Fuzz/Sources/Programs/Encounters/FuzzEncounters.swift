import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzEncounters: FuzzProgram {}
#endif
