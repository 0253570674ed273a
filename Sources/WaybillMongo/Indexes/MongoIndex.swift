/// An index as it should be.
package struct MongoIndex: Sendable {
    /// One field of an index's key.
    package struct Key: Hashable, Sendable {
        enum Order: Hashable, Sendable {
            case ascending
            case descending
            case hashed
        }

        package let field: String
        let order: Order

        package static func ascending(_ field: String) -> Key { Key(field: field, order: .ascending) }
        package static func descending(_ field: String) -> Key { Key(field: field, order: .descending) }
        /// Eight bytes of a hash stand for the value.
        ///
        /// For long values that are asked for as a whole; one field of an index at the most.
        package static func hashed(_ field: String) -> Key { Key(field: field, order: .hashed) }
    }

    package let name: String
    package let keys: [Key]
    package let isUnique: Bool
    /// Documents are deleted this long after the date in the (single) key field.
    package let expireAfterSeconds: Int?
    /// Only documents that match are in the index.
    package let partialFilter: BSONDocument?

    package init(
        name: String,
        keys: [Key],
        isUnique: Bool = false,
        expireAfterSeconds: Int? = nil,
        partialFilter: BSONDocument? = nil
    ) {
        self.name = name
        self.keys = keys
        self.isUnique = isUnique
        self.expireAfterSeconds = expireAfterSeconds
        self.partialFilter = partialFilter
    }

    /// The specification for `createIndexes`.
    var specification: BSONDocument {
        BSONDocument { writer in
            writer.append("key", document: Self.document(keys))
            writer.append("name", string: name)
            if isUnique { writer.append("unique", bool: true) }
            if let expireAfterSeconds { writer.append("expireAfterSeconds", int: expireAfterSeconds) }
            if let partialFilter { writer.append("partialFilterExpression", document: partialFilter) }
        }
    }

    private static func document(_ keys: [Key]) -> BSONDocument {
        BSONDocument { writer in
            for key in keys {
                switch key.order {
                case .ascending: writer.append(name: key.field, int: 1)
                case .descending: writer.append(name: key.field, int: -1)
                case .hashed: writer.append(name: key.field, string: "hashed")
                }
            }
        }
    }
}

/// An index as the server has it.
struct ExistingIndex {
    let name: String
    let keys: [MongoIndex.Key]?
    let isUnique: Bool
    let expireAfterSeconds: Int64?
    let partialFilter: BSONDocument?
    /// Options that Waybill never asks for, such as `sparse` or a collation, and that change what an index holds.
    let foreignOptions: [String]
    /// Whether the server is still building it: until it is done, nothing is found by it and nothing expires by it.
    let isBuilding: Bool

    /// - Parameter element: one of the answer to `listIndexes` with `includeBuildUUIDs`.
    init(_ element: BSONDocument) {
        let inner = element["spec"]?.document
        isBuilding = inner != nil
        let specification = inner ?? element
        name = specification["name"]?.string ?? ""
        keys = specification["key"]?.document.flatMap(Self.keys)
        isUnique = specification["unique"]?.bool ?? false
        expireAfterSeconds = specification["expireAfterSeconds"]?.int
        partialFilter = specification["partialFilterExpression"]?.document
        let understood: Set = [
            "v", "key", "name", "ns", "unique", "expireAfterSeconds", "partialFilterExpression", "background",
        ]
        foreignOptions = specification.fields.map(\.key).filter { !understood.contains($0) }
    }

    /// What differs from the index as it should be, whatever the name.
    func differences(from wanted: MongoIndex) -> [String] {
        var differences: [String] = []
        if keys != wanted.keys { differences.append("key") }
        if isUnique != wanted.isUnique { differences.append("unique") }
        if expireAfterSeconds != wanted.expireAfterSeconds.map(Int64.init) { differences.append("expireAfterSeconds") }
        if partialFilter != wanted.partialFilter { differences.append("partialFilterExpression") }
        return differences + foreignOptions
    }

    private static func keys(_ document: BSONDocument) -> [MongoIndex.Key]? {
        var keys: [MongoIndex.Key] = []
        for (field, value) in document.fields {
            if value.int == 1 {
                keys.append(.ascending(field))
            } else if value.int == -1 {
                keys.append(.descending(field))
            } else if value.string == "hashed" {
                keys.append(.hashed(field))
            } else {
                return nil
            }
        }
        return keys
    }
}
