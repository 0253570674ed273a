internal import CWaybillMongoC

/// libmongoc's global state, initialised once for the process.
///
/// It is never cleaned up: libmongoc cannot be initialised again afterwards, and the process ends soon anyway.
enum MongoRuntime {
    /// Touch it before the first call into libmongoc, on any thread.
    static let start: Void = {
        // Every failure comes back as an error; libmongoc's own lines on standard error would only repeat it. The handler
        // comes first: `mongoc_init` itself has words, such as on a cgroup or a platform that it cannot read.
        mongoc_log_set_handler(nil, nil)
        mongoc_init()
    }()
}
