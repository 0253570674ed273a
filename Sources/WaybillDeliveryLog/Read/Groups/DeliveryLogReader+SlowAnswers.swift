import WaybillCore
package import WaybillMongo

/// Records of one `batch_id` that lie side by side, and the longest latency among them.
struct SlowPlace: Sendable {
    let name: String
    /// None comes before it; `nil` where they are all of the name.
    let first: NotificationID?
    let last: NotificationID
    /// In milliseconds.
    let longest: Double

    /// No answer among them comes before this one, where the slowest come first.
    fileprivate var bound: (Double, UInt64, UInt64) { (longest, last.high, last.low) }

    /// Both in one; they are of the same range.
    func joined(with other: SlowPlace) -> SlowPlace {
        let isLater = (last.high, last.low) < (other.last.high, other.last.low)
        return SlowPlace(
            name: name,
            first: first,
            last: isLater ? other.last : last,
            longest: max(longest, other.longest)
        )
    }

    fileprivate func append(to filter: BSONWriter) {
        filter.append(Field.batchID, string: name)
        filter.append(Field.id) { ids in
            if let first { ids.append("$gte", uuid: first.high, first.low) }
            ids.append("$lte", uuid: last.high, last.low)
        }
    }
}

extension SlowPlace {
    /// Reads what the server has grouped of a part's records in a range; `nil` where no record has a latency.
    init?(_ row: BSONDocument, of part: String, in range: BatchRange) {
        guard let longest = row["longest"]?.double, case .uuid(let high, let low) = row["last_id"] else { return nil }
        self.init(name: part, first: range.firstID, last: NotificationID(high: high, low: low), longest: longest)
    }
}

extension DeliveryLogReader {
    /// Of how many places is asked first; then of twice as many each time.
    private static let placesAtFirst = 2

    /// The slowest answers of what was counted in ranges.
    ///
    /// Looks only where they can be: at those records of a batch of 100,000 that lie around five of them, not at all.
    ///
    /// - Parameters:
    ///   - fold: what ``count(_:withParts:isMostlyAccepted:time:)`` has told of the ranges.
    ///   - time: when the server should give up.
    /// - Returns: five at the most, the slowest first; of those that took as long, those with the highest ids.
    /// - Throws: as ``count(_:withParts:isMostlyAccepted:time:)``.
    package func slowest(of fold: BatchPartsFold, time: Duration) throws(MongoError) -> [BatchParts.SlowAnswer] {
        let end = ContinuousClock.now + time
        var places = fold.places.sorted { $1.bound < $0.bound }[...]
        let most = BatchParts.mostAnswers
        // As many answers as are wanted took at least as long.
        let least = places.dropFirst(most - 1).first?.longest
        var found = fold.slowest
        var count = Self.placesAtFirst
        while let next = places.first {
            if found.count == most, let last = found.last, next.bound < last.rank { break }
            found += try answers(in: places.prefix(count), ofAtLeast: least, time: max(end - .now, .milliseconds(1)))
            found.sort { $1.rank < $0.rank }
            found.removeLast(max(0, found.count - most))
            places = places.dropFirst(count)
            count *= 2
        }
        return found
    }

    private func answers(
        in places: ArraySlice<SlowPlace>,
        ofAtLeast least: Double?,
        time: Duration
    ) throws(MongoError) -> [BatchParts.SlowAnswer] {
        let match = BSONDocument { stage in
            let filter = scope.filter { filter in
                filter.append(
                    "$or",
                    array: { array in for place in places { array.append(document: { place.append(to: $0) }) } }
                )
                if let least { filter.append(Field.latency) { $0.append("$gte", double: least) } }
            }
            stage.append("$match", document: filter)
        }
        let slowestFirst = BSONDocument { stage in
            stage.append("$sort") { order in
                order.append(Field.latency, int: -1)
                order.append(Field.id, int: -1)
            }
        }
        let told = BSONDocument { stage in
            stage.append("$project") { fields in
                fields.append(Field.batchID, int: 1)
                fields.append(Field.latency, int: 1)
            }
        }
        let stages = [match, slowestFirst, Self.limit(BatchParts.mostAnswers), told]
        let found = try collection.aggregate(stages, maximumTime: time, index: DeliveryLogIndexes.batch.name).all()
        return found.compactMap { BatchParts.SlowAnswer($0, of: $0["\(Field.batchID)"]?.string ?? "") }
    }
}
