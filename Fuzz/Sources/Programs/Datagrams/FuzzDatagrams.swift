import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzDatagrams: FuzzProgram {}
#endif
