internal import CWaybillMongoC
import Glibc

/// What became of an index that should exist.
package struct IndexChange: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case created
        case exists
    }

    package let collection: String
    package let name: String
    package let change: Change
}

extension MongoCollection {
    /// Creates the indexes that are missing, and waits until all are complete, also those that somebody else has begun.
    ///
    /// A log of millions takes minutes: the pool's silence must allow for it.
    /// Safe to repeat; nothing is ever dropped or changed. An index with the same keys and options under another name counts as existing.
    ///
    /// - Throws: ``MongoError/Code/indexConflict`` when an index has the name or the keys but other options, with the
    ///   command that would make room for it. Nothing has been created then.
    package func ensureIndexes(_ wanted: [MongoIndex]) throws(MongoError) -> [IndexChange] {
        let existing = try existingIndexes()
        var missing: [MongoIndex] = []
        var changes: [IndexChange] = []
        for index in wanted {
            // To ask for one that is being built means to wait for it.
            let isThere = try isSatisfied(index, by: existing.filter { !$0.isBuilding })
            if !isThere { missing.append(index) }
            changes.append(IndexChange(collection: name, name: index.name, change: isThere ? .exists : .created))
        }
        if !missing.isEmpty {
            try create(missing)
            try awaitShown(missing)
        }
        return changes
    }

    /// Whether an index is there and complete, whatever its name.
    package func hasIndex(_ wanted: MongoIndex) throws(MongoError) -> Bool {
        try existingIndexes().contains { !$0.isBuilding && $0.differences(from: wanted).isEmpty }
    }

    /// Whether the collection is there: each has the index of its keys.
    package func exists() throws(MongoError) -> Bool { try !existingIndexes().isEmpty }

    /// Which of some indexes are not there, or not complete yet, as `collection.index`.
    package func missing(_ wanted: [MongoIndex]) throws(MongoError) -> [String] {
        let existing = try existingIndexes().filter { !$0.isBuilding }
        return wanted.filter { index in !existing.contains { $0.differences(from: index).isEmpty } }
            .map { "\(name).\($0.name)" }
    }

    /// Refuses every index that lets the server delete documents, but for the ones that are meant to.
    ///
    /// - Parameter wanted: indexes that may; one with the same key and time is the same.
    /// - Throws: ``MongoError/Code/indexConflict``, naming the index and the command that ends it.
    package func refuseForeignExpiry(except wanted: [MongoIndex]) throws(MongoError) {
        let foreign = try existingIndexes().filter { index in
            guard let seconds = index.expireAfterSeconds else { return false }
            return !wanted.contains { $0.keys == index.keys && $0.expireAfterSeconds.map(Int64.init) == seconds }
        }
        guard let index = foreign.first else { return }
        let command = dropCommand(index)
        throw MongoError(
            code: .indexConflict,
            operation: "examine the indexes of \(database).\(name)",
            reason: """
                index \(index.name) on \(database).\(name) deletes documents that nobody has allowed to be deleted; \
                end it in mongosh: \(command)
                """
        )
    }

    /// Indexes that earlier releases made and nothing asks for any more.
    ///
    /// - Parameter former: what they were; one with other settings is somebody else's.
    /// - Returns: for each that is still there, its name and the command for mongosh that drops it.
    /// - Throws: what the listing fails with.
    package func leftovers(of former: [MongoIndex]) throws(MongoError) -> [(name: String, command: String)] {
        try existingIndexes().filter { index in
            former.contains { $0.name == index.name && index.differences(from: $0).isEmpty }
        }.map { ($0.name, dropCommand($0)) }
    }

    private func dropCommand(_ index: ExistingIndex) -> String {
        "db.getSiblingDB(\"\(database)\").\(name).dropIndex(\"\(index.name)\")"
    }

    private func isSatisfied(_ wanted: MongoIndex, by existing: [ExistingIndex]) throws(MongoError) -> Bool {
        for index in existing {
            let differences = index.differences(from: wanted)
            if differences.isEmpty { return true }
            guard index.name == wanted.name || index.keys == wanted.keys else { continue }
            throw conflict(index, differences: differences)
        }
        return false
    }

    private func conflict(_ index: ExistingIndex, differences: [String]) -> MongoError {
        let command = dropCommand(index)
        return MongoError(
            code: .indexConflict,
            operation: "create indexes on \(database).\(name)",
            reason: """
                index \(index.name) exists with another \(differences.joined(separator: ", ")); \
                if nothing else needs it, drop it in mongosh and repeat: \(command)
                """
        )
    }

    private func existingIndexes() throws(MongoError) -> [ExistingIndex] {
        let cursor = MongoCursor(
            stealing: Self.withBuilding.withDocument { mongoc_collection_find_indexes_with_opts(pointer, $0) },
            of: self,
            operation: "list indexes of \(database).\(name)"
        )
        do {
            return try cursor.all().map(ExistingIndex.init)
        } catch  where error.nativeCode == ServerCode.namespaceNotFound {
            return []
        }
    }

    /// Waits until the server's own list shows indexes as complete.
    ///
    /// Whoever asks for one that somebody else builds is answered when the build is over, and the list may lag behind that answer
    /// by milliseconds. Returns after a second in any case: what the server has answered holds.
    private func awaitShown(_ indexes: [MongoIndex]) throws(MongoError) {
        for _ in 0..<100 where try !missing(indexes).isEmpty { usleep(10_000) }
    }

    private static let withBuilding = BSONDocument { $0.append("includeBuildUUIDs", bool: true) }

    private func create(_ indexes: [MongoIndex]) throws(MongoError) {
        let command = BSONDocument { writer in
            writer.append("createIndexes", string: name)
            writer.append(
                "indexes",
                array: { array in for index in indexes { array.append(document: index.specification) } }
            )
        }
        _ = try client.command(database: database, command)
    }
}
