import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzCrossingInvitations: FuzzProgram {}
#endif
