import WaybillCore
package import WaybillDeliveryLog
import WaybillEncoding
package import WaybillMongo
import WaybillReceipts

/// What devices have said of the notifications that statistics count, by the same steps and values.
///
/// Receipts do not say whose they are, and come later than the outcome; so nobody keeps sums of them: each is counted where the
/// outcome of its notification is. What was said is found by the ids, which begin with their messages' times, and held against
/// the log, a thousand at a time; where a record is counted by its date, the other way round.
///
/// *Thread:* its client's. *Blocking:* up to the time limit.
package struct ReceiptStatistics {
    private let log: DeliveryLogReader
    private let receipts: ReceiptReader

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where the log is.
    ///   - scope: whose records are counted, whatever is asked.
    package init(client: MongoClient, options: DeliveryLogOptions, scope: DeliveryScope) {
        log = DeliveryLogReader(client: client, options: options, scope: scope)
        receipts = ReceiptReader(client: client, database: options.database)
    }

    private struct Key: Hashable {
        var start: Int64?
        var value: ExactName?

        init(start: Int64?, value: String?) {
            self.start = start
            self.value = value.map { ExactName($0) }
        }
    }

    /// Adds to each row what was said of its notifications.
    ///
    /// - Parameters:
    ///   - series: what was counted; a row is added for what statistics do not know yet.
    ///   - query: how it was asked for.
    ///   - limit: how long all of it may take.
    /// - Throws: what the store says, and ``WaybillMongo/MongoError/Code/timeLimitExceeded`` when the limit is met.
    package func add(
        to series: inout StatisticsSeries,
        _ query: StatisticsQuery,
        within limit: Duration
    ) throws(MongoError) {
        let end = ContinuousClock.now + limit
        func timeLeft() throws(MongoError) -> Duration {
            let left = end - .now
            guard left > .zero else { throw Self.late }
            return left
        }
        var tallies: [Key: ReceiptTally] = [:]
        func count(_ deliveries: [CountedDelivery], _ events: [NotificationID: Set<ReceiptEvent>]) {
            for delivery in deliveries {
                guard let said = events[delivery.id], !said.isEmpty else { continue }
                let key = Key(
                    start: query.stepStart(of: delivery.date),
                    value: query.dimension.flatMap { delivery.value(of: $0) }
                )
                tallies[key, default: ReceiptTally()].add(said)
            }
        }
        let ids = query.ids
        let time = try timeLeft()
        try receipts.forEachSaid(from: ids.first, before: ids.end, time: time) { (said) throws(MongoError) in
            let events = Dictionary(uniqueKeysWithValues: said.map { ($0.id, $0.events) })
            count(try log.counted(said.map(\.id), query, time: try timeLeft()), events)
        }
        try log.forEachCountedByDate(query, time: try timeLeft()) { (deliveries) throws(MongoError) in
            _ = try timeLeft()
            let said = try receipts.receipts(of: deliveries.map(\.receiptSubject))
            var events: [NotificationID: Set<ReceiptEvent>] = [:]
            for delivery in deliveries {
                events[delivery.id] = said[delivery.receiptSubject].map { Set($0.map(\.event)) }
            }
            count(deliveries, events)
        }
        merge(tallies, into: &series)
    }

    private func merge(_ tallies: [Key: ReceiptTally], into series: inout StatisticsSeries) {
        var rest = tallies
        for place in series.rows.indices {
            let key = Key(start: series.rows[place].start, value: series.rows[place].value)
            series.rows[place].receipts = rest.removeValue(forKey: key) ?? ReceiptTally()
        }
        guard !rest.isEmpty, !series.isCut else { return }
        for (key, tally) in rest {
            series.rows.append(
                StatisticsRow(start: key.start, value: key.value?.text, outcomes: [:], latency: [], receipts: tally)
            )
        }
        series.sort()
    }

    private static let late = MongoError(
        code: .timeLimitExceeded,
        operation: "count receipts",
        reason: "there are more than the time allows"
    )
}
