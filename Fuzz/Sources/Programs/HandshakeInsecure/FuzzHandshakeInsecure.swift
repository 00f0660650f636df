import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzHandshakeInsecure: FuzzProgram {}
#endif
