import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzRosterMerge: FuzzProgram {}
#endif
