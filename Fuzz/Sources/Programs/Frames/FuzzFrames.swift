import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzFrames: FuzzProgram {}
#endif
