internal import CWaybillMongoC
internal import Glibc

/// The process' connections to one MongoDB deployment.
///
/// The pool watches the deployment from a thread of its own and reconnects by itself. Opening it reaches nothing yet.
///
/// *Ownership:* owns libmongoc's pool and frees it when the last client has gone. *Thread:* any; each client that is
/// taken out belongs to one thread at a time.
package final class MongoPool: Sendable {
    /// libmongoc's client pool is documented as thread-safe but for its destruction, which `deinit` does alone.
    private nonisolated(unsafe) let pool: OpaquePointer
    /// libmongoc reads it whenever it connects.
    private let identity: MemoryFile?

    /// Opens a pool.
    ///
    /// What the URL leaves open gets limits that suit a service: a server is looked for during 5 s, of which it has 4 s to
    /// answer a new connection, so that one that hangs is told from one that is not there; a client is waited for 1 s.
    /// libmongoc's own defaults would wait for minutes, or forever.
    ///
    /// - Parameters:
    ///   - url: a MongoDB connection string.
    ///   - applicationName: what the server's log calls us; at most 128 bytes.
    ///   - maximumClients: how many clients may be out at the same time, whatever the URL says about its pool.
    ///   - search: how long a server is looked for, of which it has four fifths to answer a new connection, where the URL
    ///     leaves it open.
    ///   - silence: how long a server may take for an answer, where the URL leaves it open.
    ///   - tls: certificates beside the URL; replaces what the URL says about them.
    ///   - repeatsWrites: whether libmongoc makes a write once more by itself after an election or a lost connection,
    ///     where the URL leaves it open. The server then notes a number with each document of a bulk; who writes again by
    ///     itself, with ids that show what is there, spares it that.
    /// - Throws: ``MongoError/Code/invalidURL``, also for a URL that switches the check of certificates off.
    package init(
        url: String,
        applicationName: String,
        maximumClients: Int = 16,
        search: Duration = .seconds(5),
        silence: Duration = .seconds(15),
        tls: MongoTLS? = nil,
        repeatsWrites: Bool = true
    ) throws(MongoError) {
        MongoRuntime.start
        var failure = bson_error_t()
        guard let uri = mongoc_uri_new_with_error(url, &failure) else { throw Self.invalid(url, failure) }
        defer { mongoc_uri_destroy(uri) }
        try Self.refuseUnchecked(uri)
        let defaults: [(String, Int32)] = [
            (MONGOC_URI_SERVERSELECTIONTIMEOUTMS, Self.milliseconds(search)),
            (MONGOC_URI_CONNECTTIMEOUTMS, Self.milliseconds(search * 4 / 5)),
            (MONGOC_URI_SOCKETTIMEOUTMS, Self.milliseconds(silence)),
            (MONGOC_URI_WAITQUEUETIMEOUTMS, 1_000),
        ]
        for (option, value) in defaults where !mongoc_uri_has_option(uri, option) {
            mongoc_uri_set_option_as_int32(uri, option, value)
        }
        if !mongoc_uri_has_option(uri, MONGOC_URI_RETRYWRITES) {
            mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYWRITES, repeatsWrites)
        }
        guard let pool = mongoc_client_pool_new_with_error(uri, &failure) else { throw Self.invalid(url, failure) }
        // Version 2 tells the server's errors from libmongoc's own.
        mongoc_client_pool_set_error_api(pool, MONGOC_ERROR_API_VERSION_2)
        mongoc_client_pool_set_appname(pool, applicationName)
        // Who opens the pool knows how many threads wait for a client; one too few would wait without an end.
        mongoc_client_pool_max_size(pool, UInt32(maximumClients))
        identity = tls?.identity.flatMap(MemoryFile.init)
        self.pool = pool
        if let tls { try use(tls) }
    }

    private static func milliseconds(_ time: Duration) -> Int32 { Int32(clamping: Int64(time / .milliseconds(1))) }

    deinit {
        mongoc_client_pool_destroy(pool)
    }

    /// Takes a client out for the length of the closure.
    ///
    /// - Throws: ``MongoError/Code/poolExhausted``, and what the closure throws.
    package func withClient<R>(_ body: (MongoClient) throws(MongoError) -> R) throws(MongoError) -> R {
        let client = try pop()
        defer { push(client) }
        return try body(client)
    }

    /// Takes a client out for longer.
    ///
    /// Give it back with ``push(_:)``.
    ///
    /// - Note: Blocks up to the waiting time of the URL, by default 1 s.
    /// - Throws: ``MongoError/Code/poolExhausted``.
    package func pop() throws(MongoError) -> MongoClient {
        guard let client = mongoc_client_pool_pop(pool) else {
            throw MongoError(code: .poolExhausted, operation: "take a client", reason: "all are in use")
        }
        return MongoClient(stealing: client, pool: self)
    }

    /// Gives a client back; it must not be used afterwards.
    ///
    /// A client that is dropped without this goes back when its last reference ends.
    package func push(_ client: MongoClient) {
        client.close()
    }

    func takeBack(_ client: OpaquePointer) {
        mongoc_client_pool_push(pool, client)
    }

    private func use(_ tls: MongoTLS) throws(MongoError) {
        guard tls.identity == nil || identity != nil else {
            throw MongoError(code: .invalidURL, operation: "open the store", reason: "no memory for the certificate")
        }
        var options = mongoc_ssl_opt_get_default().pointee
        // libmongoc copies the texts.
        let files = [tls.caFile, identity?.path].map { $0.map { strdup($0) } ?? nil }
        defer { for file in files { free(file) } }
        options.ca_file = files[0].map { UnsafePointer($0) }
        options.pem_file = files[1].map { UnsafePointer($0) }
        options.weak_cert_validation = false
        options.allow_invalid_hostname = false
        mongoc_client_pool_set_ssl_opts(pool, &options)
    }

    /// libmongoc has several spellings of an option and of true; what counts is what it has understood.
    private static func refuseUnchecked(_ uri: OpaquePointer) throws(MongoError) {
        let options = [
            MONGOC_URI_TLSINSECURE, MONGOC_URI_TLSALLOWINVALIDCERTIFICATES, MONGOC_URI_TLSALLOWINVALIDHOSTNAMES,
        ]
        guard options.contains(where: { mongoc_uri_get_option_as_bool(uri, $0, false) }) else { return }
        throw MongoError(
            code: .invalidURL,
            operation: "open the store",
            reason: "the URL turns the check of the server's certificate off"
        )
    }

    /// libmongoc may repeat parts of the URL in its message, so it is shown only where there are no credentials.
    private static func invalid(_ url: String, _ failure: bson_error_t) -> MongoError {
        let native = MongoError(native: failure, operation: "open the store")
        let reason = url.contains("@") ? "not a usable mongodb:// URL" : native.reason
        return MongoError(code: .invalidURL, operation: native.operation, reason: reason)
    }
}
