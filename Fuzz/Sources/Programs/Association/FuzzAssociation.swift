import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzAssociation: FuzzProgram {}
#endif
