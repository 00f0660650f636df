import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzRecordStream: FuzzProgram {}
#endif
