import CWaybillMongoC

/// The library below this module.
package enum MongoLibrary {
    /// The version that is loaded, as libmongoc says itself, such as `1.23.1`; any thread.
    package static var version: String { mongoc_get_version().map { String(cString: $0) } ?? "" }
}
