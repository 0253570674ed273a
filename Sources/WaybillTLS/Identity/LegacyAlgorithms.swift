import CWaybillOpenSSL

/// OpenSSL's outdated algorithms, which stand in a module of their own.
///
/// They are loaded into a library context of their own: nothing else in the process can come to use them.
enum LegacyAlgorithms {
    /// Lends a library context with the ordinary and the outdated algorithms.
    ///
    /// - Parameters:
    ///   - modules: the folder of OpenSSL's modules; `nil` for the library's own.
    ///   - name: what wants to be read, for the error.
    ///   - body: gets the context; nothing made with it may outlive the call.
    /// - Returns: what the body returns.
    /// - Throws: `TLSError.badFile` if the module is not installed; what the body throws.
    static func with<Result>(
        modules: String?,
        name: String,
        _ body: (OpaquePointer) throws(TLSError) -> Result
    ) throws(TLSError) -> Result {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let library = OSSL_LIB_CTX_new() else { throw .fromQueue(.library, "no library context") }
        defer { OSSL_LIB_CTX_free(library) }
        if let modules { OSSL_PROVIDER_set_default_search_path(library, modules) }
        // Loading any provider by name takes away the default one, unless it is loaded by name too.
        guard let ordinary = OSSL_PROVIDER_load(library, "default") else {
            throw .fromQueue(.library, "OpenSSL's algorithms cannot be loaded")
        }
        defer { OSSL_PROVIDER_unload(ordinary) }
        guard let legacy = OSSL_PROVIDER_load(library, "legacy") else {
            throw TLSError(
                .badFile,
                """
                \(name) is encrypted with an outdated algorithm, and OpenSSL's module "legacy", which could read it, \
                is not installed; install it, or export the container anew with AES
                """
            )
        }
        defer { OSSL_PROVIDER_unload(legacy) }
        return try body(library)
    }
}
