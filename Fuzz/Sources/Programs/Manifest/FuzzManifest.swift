import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzManifest: FuzzProgram {}
#endif
