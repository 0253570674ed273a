import WaybillCore
package import WaybillMongo

extension DeliveryLogReader {
    /// What a range of a batch has.
    ///
    /// Of what was accepted there is one group: how many, without who, where and examples, and with the first and the last date
    /// of the whole range.
    ///
    /// - Parameters:
    ///   - range: which.
    ///   - withParts: whether parts are told apart, and where the slowest answers are, for ``slowest(of:time:)``.
    ///   - isMostlyAccepted: what is likely; it says which way is shorter, and changes no count.
    ///   - time: when the server should give up.
    /// - Returns: what may be added to that of other ranges.
    /// - Throws: as ``parts(of:sample:)``, and where the batches' indexes are not there, which the server calls a bad value.
    package func count(
        _ range: BatchRange,
        withParts: Bool,
        isMostlyAccepted: Bool,
        time: Duration
    ) throws(MongoError) -> BatchPartsFold {
        guard isMostlyAccepted else { return try countTogether(range, withParts: withParts, time: time) }
        let end = ContinuousClock.now + time
        func timeLeft() -> Duration { max(end - .now, .milliseconds(1)) }
        do throws(MongoError) {
            // Both of one moment: a failure that is written in between would be taken for accepted.
            let moment = try collection.snapshot()
            let failures = try countFailures(range, withParts: withParts, at: moment, time: time)
            return try addAccepted(to: failures, range, withParts: withParts, at: moment, time: timeLeft())
        } catch {
            // As right after `waybill init` has made an index.
            guard error.isSnapshotGone else { throw error }
            return try countTogether(range, withParts: withParts, time: timeLeft())
        }
    }

    /// Adds to the failures of a range, in each part, what it had besides at the same moment.
    func addAccepted(
        to failures: BatchPartsFold,
        _ range: BatchRange,
        withParts: Bool,
        at moment: MongoSnapshot,
        time: Duration
    ) throws(MongoError) -> BatchPartsFold {
        var fold = failures
        let cursor = try collection.aggregate(
            [match(range, onlyFailures: false), withParts ? Self.countByPart : Self.countAll],
            at: moment,
            maximumTime: time,
            index: DeliveryLogIndexes.batch.name
        )
        while let row = try cursor.next() {
            let part = Self.part(of: row)
            var group = DeliveryGroup(row)
            group.count -= failures.count(ofPart: part)
            group.outcome = Outcome.accepted.rawValue
            if group.count > 0 { fold.add(group, part: part) }
            if let place = SlowPlace(row, of: part, in: range) { fold.places.append(place) }
        }
        return fold
    }

    /// All of it in one, as is shorter where most has failed.
    private func countTogether(
        _ range: BatchRange,
        withParts: Bool,
        time: Duration
    ) throws(MongoError) -> BatchPartsFold {
        let group = withParts ? Self.groupByPartAndEnd(Self.appendPlace) : Self.groupByEnd
        let cursor = collection.aggregate(
            [match(range, onlyFailures: false), group],
            maximumTime: time,
            index: DeliveryLogIndexes.batch.name
        )
        var fold = BatchPartsFold()
        // By the bytes of the name, as the store compares.
        var places: [[UInt8]: SlowPlace] = [:]
        while let row = try cursor.next() {
            let part = Self.part(of: row)
            let group = DeliveryGroup(row)
            fold.add(group.isAccepted ? group.counts : group, part: part)
            if let place = SlowPlace(row, of: part, in: range) {
                let name = Array(part.utf8)
                places[name] = places[name]?.joined(with: place) ?? place
            }
        }
        fold.places = Array(places.values)
        return fold
    }

    /// What a range had at a moment that was not accepted.
    func countFailures(
        _ range: BatchRange,
        withParts: Bool,
        at moment: MongoSnapshot,
        time: Duration
    ) throws(MongoError) -> BatchPartsFold {
        let cursor = try collection.aggregate(
            [match(range, onlyFailures: true), withParts ? Self.groupByPartAndEnd { _ in } : Self.groupByEnd],
            at: moment,
            maximumTime: time,
            index: DeliveryLogIndexes.batchFailures.name
        )
        var fold = BatchPartsFold()
        while let row = try cursor.next() { fold.add(DeliveryGroup(row), part: Self.part(of: row)) }
        return fold
    }

    private func match(_ range: BatchRange, onlyFailures: Bool) -> BSONDocument {
        let filter = scope.filter { filter in
            range.append(to: filter)
            if onlyFailures { filter.append(Field.outcome, document: DeliveryLogIndexes.failed) }
        }
        return BSONDocument { $0.append("$match", document: filter) }
    }

    /// Each field that is read of a record, and each sum, is a tenth of what counting costs the server.
    private static let countAll = BSONDocument { writer in
        writer.append("$group") { group in
            group.append("_id", document: .empty)
            appendCounts(to: group)
        }
    }

    private static let countByPart = BSONDocument { writer in
        writer.append("$group") { group in
            group.append("_id") { $0.append(Field.batchID, string: "$\(Field.batchID)") }
            appendCounts(to: group)
            appendPlace(to: group)
        }
    }

    private static func appendPlace(to group: BSONWriter) {
        group.append("longest") { $0.append("$max", string: "$\(Field.latency)") }
        group.append("last_id") { $0.append("$max", string: "$\(Field.id)") }
    }
}

extension DeliveryGroup {
    fileprivate var isAccepted: Bool { outcome == Outcome.accepted.rawValue }

    /// How many they are, and when; not who and where.
    fileprivate var counts: DeliveryGroup {
        DeliveryGroup(outcome: outcome, count: count, first: first, last: last)
    }
}
