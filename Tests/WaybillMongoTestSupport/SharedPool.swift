import Synchronization
package import WaybillMongo

/// The pools of a test process: one for each store, which goes on to the process's end.
///
/// libmongoc ends a pool only when the thread that watches its servers has looked up, half a second later at the most. A pool for
/// each test would make that most of what the tests wait for.
package enum SharedPool {
    private static let pools = Mutex<[String: MongoPool]>([:])

    /// The pool of a store.
    ///
    /// - Parameter url: a MongoDB connection string.
    /// - Returns: the same one each time.
    /// - Throws: ``WaybillMongo/MongoError/Code/invalidURL``.
    package static func of(_ url: String) throws(MongoError) -> MongoPool {
        try pools.withLock { (pools) throws(MongoError) in
            if let pool = pools[url] { return pool }
            let pool = try MongoPool(url: url, applicationName: "waybill tests", maximumClients: 200)
            pools[url] = pool
            return pool
        }
    }
}
