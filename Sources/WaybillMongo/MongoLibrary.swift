import CWaybillMongoC
internal import Glibc

/// The library below this module.
package enum MongoLibrary {
    /// The version that is loaded, as libmongoc says itself, such as `1.23.1`; any thread.
    package static var version: String { mongoc_get_version().map { String(cString: $0) } ?? "" }

    /// Removes the file in which libmongoc counts for `mongoc-stat`, which it makes as it is loaded.
    ///
    /// It would outlive a process that is killed, or that leaves out the libraries' exit handlers; and a later process with
    /// the same number would find it in its way and complain on standard error. The memory behind it stays valid.
    ///
    /// *Thread:* any; to be called once, early.
    package static func removeCountersFile() {
        _ = shm_unlink("/mongoc-\(getpid())")
    }
}
