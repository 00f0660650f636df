import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzVectorFile: FuzzProgram {}
#endif
