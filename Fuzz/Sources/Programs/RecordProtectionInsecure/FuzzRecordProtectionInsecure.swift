import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzRecordProtectionInsecure: FuzzProgram {}
#endif
