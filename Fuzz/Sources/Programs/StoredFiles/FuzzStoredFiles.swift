import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzStoredFiles: FuzzProgram {}
#endif
