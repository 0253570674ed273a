package import WaybillCore
package import WaybillMongo

/// Some thousand records of a batch that lie side by side in its index.
package struct BatchRange: Sendable {
    enum Names: Hashable, Sendable {
        /// One name, from an id on and below another.
        case one(String, from: NotificationID?, below: NotificationID?)
        /// The parts from one name on, and below another.
        case parts(from: String, below: String)
    }

    let batch: BatchName
    let names: Names

    /// Before which it has no record of its one name; `nil` where it begins with a name.
    var firstID: NotificationID? {
        guard case .one(_, let first, _) = names else { return nil }
        return first
    }
}

/// Goes through a batch range by range, so that several threads can count one each.
///
/// Where ranges begin is read from the index alone; together they hold every record once.
package struct BatchRanges: Sendable {
    private enum Place {
        case one(String, from: NotificationID?)
        case parts(from: String)
    }

    /// As many as a server counts in some 15 ms.
    package static let customarySize = 10_000
    /// Where the slowest answers are looked for afterwards: in a few of these, so that smaller ones leave less to look at.
    package static let sizeWithParts = 5_000

    private let batch: BatchName
    private let size: Int
    private var place: Place?
    /// Whether the batch has more records than one range.
    package private(set) var areMany = false

    /// - Parameters:
    ///   - batch: which.
    ///   - size: how many records a range has, at the most; a name with fewer may be together with others.
    package init(_ batch: BatchName, size: Int = customarySize) {
        self.batch = batch
        self.size = size
        place = .one(batch.name, from: nil)
    }

    /// The next range.
    ///
    /// - Parameters:
    ///   - reader: asks the store; another one with each call, if need be.
    ///   - time: when the server should give up.
    /// - Returns: the range, which may be empty; `nil` after the last one.
    /// - Throws: what the store says, such as ``WaybillMongo/MongoError/Code/timeLimitExceeded``.
    package mutating func next(_ reader: DeliveryLogReader, time: Duration) throws(MongoError) -> BatchRange? {
        while let here = place {
            if let range = try step(from: here, reader, time) { return range }
        }
        return nil
    }

    /// - Returns: `nil` where there is no range, but a place to go on at.
    private mutating func step(
        from here: Place,
        _ reader: DeliveryLogReader,
        _ time: Duration
    ) throws(MongoError) -> BatchRange? {
        let batch = batch
        switch here {
        case .one(let name, let first):
            guard batch.includes(name) else {
                // The name of another batch, and a large one.
                place = .parts(from: Self.after(name))
                return nil
            }
            let last = try boundary(reader, time) { filter in
                filter.append(Field.batchID, string: name)
                if let first { filter.append(Field.id) { $0.append("$gte", uuid: first.high, first.low) } }
            }
            if let last {
                place = .one(name, from: last.id)
            } else if name != batch.name {
                place = .parts(from: Self.after(name))
            } else {
                place = batch.includesParts ? .parts(from: batch.firstPart) : nil
            }
            return BatchRange(batch: batch, names: .one(name, from: first, below: last?.id))
        case .parts(let first):
            let last = try boundary(reader, time) { filter in
                filter.append(Field.batchID) { names in
                    names.append("$gte", string: first)
                    names.append("$lt", string: batch.behindParts)
                }
            }
            guard let last else {
                place = nil
                return BatchRange(batch: batch, names: .parts(from: first, below: batch.behindParts))
            }
            guard !last.name.utf8.elementsEqual(first.utf8) else {
                place = .one(first, from: nil)
                return nil
            }
            place = .parts(from: last.name)
            return BatchRange(batch: batch, names: .parts(from: first, below: last.name))
        }
    }

    /// The record behind as many as a range has.
    private mutating func boundary(
        _ reader: DeliveryLogReader,
        _ time: Duration,
        _ condition: (BSONWriter) -> Void
    ) throws(MongoError) -> (name: String, id: NotificationID)? {
        let order = BSONDocument { writer in
            writer.append(Field.batchID, int: 1)
            writer.append(Field.id, int: 1)
        }
        let stages = [
            BSONDocument { $0.append("$match", document: condition) },
            BSONDocument { $0.append("$sort", document: order) },
            BSONDocument { $0.append("$skip", int64: Int64(size)) },
            DeliveryLogReader.limit(1),
            BSONDocument { $0.append("$project", document: order) },
        ]
        // Where ids of a time are mostly the batch's own, the server might prefer the index of all ids, and go on to its end.
        let cursor = reader.collection.aggregate(
            stages,
            maximumTime: time,
            readsMajority: true,
            index: DeliveryLogIndexes.batch.name
        )
        guard let found = try cursor.next(),
            let name = found["\(Field.batchID)"]?.string, case .uuid(let high, let low) = found["\(Field.id)"]
        else { return nil }
        areMany = true
        return (name, NotificationID(high: high, low: low))
    }

    /// The text that follows a name, with nothing in between.
    private static func after(_ name: String) -> String { "\(name)\0" }
}

extension BatchRange {
    /// Appends the condition that a record is of the range.
    func append(to writer: BSONWriter) {
        switch names {
        case .one(let name, let first, let last):
            writer.append(Field.batchID, string: name)
            guard first != nil || last != nil else { return }
            writer.append(Field.id) { condition in
                if let first { condition.append("$gte", uuid: first.high, first.low) }
                if let last { condition.append("$lt", uuid: last.high, last.low) }
            }
        case .parts(let first, let last): batch.appendParts(from: first, below: last, to: writer)
        }
    }
}
