internal import CGnuTLS

/// How bytes and handles cross the border to GnuTLS.
enum NativeMemory {
    /// Calls one of GnuTLS's `…_init` functions; nil when it has no memory.
    static func allocate(_ initialise: (UnsafeMutablePointer<OpaquePointer?>?) -> Int32) -> OpaquePointer? {
        var handle: OpaquePointer?
        // SAFETY: the pointer is to a local and used during the call only.
        let code = unsafe initialise(&handle)
        return code == GNUTLS_E_SUCCESS ? unsafe handle : nil
    }

    /// Lends `bytes` to GnuTLS for the length of `body`, for reading.
    static func withDatum<Result>(
        _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
    ) -> Result {
        unsafe withDatum(bytes.span, body)
    }

    /// Lends `bytes` to GnuTLS for the length of `body`, for reading.
    static func withDatum<Result>(
        _ bytes: Span<UInt8>, _ body: (UnsafePointer<gnutls_datum_t>) -> Result
    ) -> Result {
        // SAFETY: GnuTLS takes input as non-const data but does not write to it; the buffer outlives the call.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var datum = unsafe gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(buffer.count))
            return unsafe body(&datum)
        }
    }

    /// Takes what GnuTLS has allocated into an array, then wipes and frees GnuTLS's copy.
    static func take(_ datum: gnutls_datum_t) -> [UInt8] {
        guard let data = unsafe datum.data else { return [] }
        // SAFETY: GnuTLS has allocated `size` bytes at `data` and given them to us.
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(datum.size)))
        unsafe gnutls_memset(data, 0, Int(datum.size))
        // SAFETY: allocated by GnuTLS, freed once, by its own function.
        unsafe multipeer_gnutls_free(data)
        return bytes
    }

    /// Overwrites `bytes` in a way that the optimiser keeps.
    static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            // SAFETY: the buffer is ours for the length of the closure.
            if let base = buffer.baseAddress { unsafe gnutls_memset(base, 0, buffer.count) }
        }
    }
}
