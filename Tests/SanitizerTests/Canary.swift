#if MULTIPEER_SANITIZER_ADDRESS || MULTIPEER_SANITIZER_THREAD
    import Testing

    /// Faults that are planted on purpose, each in a process of its own. A sanitized run that misses one of them proves
    /// nothing, and fails. `Scripts/test --sanitize` defines the conditions, so that no other build has these tests.
    enum Canary {
        /// The status that `Scripts/testing/sanitizers.py` tells the sanitizers to end with.
        static let status: ExitTest.Condition = .exitCode(86)

        /// Reports of real faults go to files, which fail the run; those of planted ones go to standard error.
        static func reportHere() { setReportPath("stderr") }

        static func reported(_ result: ExitTest.Result?, _ words: String...) -> Bool {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            return words.allSatisfy(text.contains)
        }
    }

    @_silgen_name("__sanitizer_set_report_path")
    private func setReportPath(_ path: UnsafePointer<CChar>)
#endif
