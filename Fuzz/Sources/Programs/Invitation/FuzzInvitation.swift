import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzInvitation: FuzzProgram {}
#endif
