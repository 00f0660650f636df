import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzRecordProtection: FuzzProgram {}
#endif
