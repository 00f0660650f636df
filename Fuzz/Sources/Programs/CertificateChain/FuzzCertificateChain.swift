import FuzzTargets

#if !LIBFUZZER
    @main enum FuzzCertificateChain: FuzzProgram {}
#endif
