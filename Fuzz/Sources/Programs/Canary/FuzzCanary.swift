import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzCanary: FuzzProgram {}
#endif
