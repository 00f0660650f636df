import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzMembers: FuzzProgram {}
#endif
