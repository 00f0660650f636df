import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzPEM: FuzzProgram {}
#endif
