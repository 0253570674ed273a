/// The indexes that a collection should have.
package typealias CollectionIndexes = (collection: String, indexes: [MongoIndex])

extension MongoClient {
    /// Creates what is missing in some collections, as ``MongoCollection/ensureIndexes(_:)`` does, one after the other.
    ///
    /// - Throws: ``MongoError/Code/indexConflict`` naming an index that exists with other settings.
    package func ensureIndexes(
        _ wanted: [CollectionIndexes],
        database: String
    ) throws(MongoError) -> [IndexChange] {
        var changes: [IndexChange] = []
        for (name, indexes) in wanted {
            changes += try collection(database: database, name: name).ensureIndexes(indexes)
        }
        return changes
    }

    /// Which of them are not there, or not complete yet, as `collection.index`.
    package func missingIndexes(_ wanted: [CollectionIndexes], database: String) throws(MongoError) -> [String] {
        var missing: [String] = []
        for (name, indexes) in wanted {
            missing += try collection(database: database, name: name).missing(indexes)
        }
        return missing
    }
}
