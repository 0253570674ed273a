package import WaybillCore
package import WaybillMongo

/// A final record, as far as statistics tell records apart.
package struct CountedDelivery: Hashable, Sendable {
    package let id: NotificationID
    /// Milliseconds since 1970.
    package let date: Int64
    private let document: BSONDocument

    /// `nil` for a record that is not final, or not whole.
    init?(_ document: BSONDocument) {
        guard case .uuid(let high, let low) = document["\(Field.id)"], let date = document["\(Field.date)"]?.date,
            document["\(Field.outcome)"]?.string != Outcome.deferred.rawValue
        else { return nil }
        id = NotificationID(high: high, low: low)
        self.date = date
        self.document = document
    }

    /// What its device speaks of.
    package var receiptSubject: ReceiptSubject {
        LoggedDelivery(document: document).receiptSubject ?? ReceiptSubject(id)
    }

    /// What it has of a dimension; `nil` where it has none.
    package func value(of dimension: StatisticsQuery.Dimension) -> String? {
        let field =
            switch dimension {
            case .reason: Field.reason
            case .client: Field.client
            case .lane: Field.lane
            case .topic: Field.topic
            case .pushType: Field.pushType
            case .outcome: Field.outcome
            }
        return document["\(field)"]?.string
    }
}

extension DeliveryLogReader {
    /// Those of some records that a question about statistics is about, and that it finds by their keys.
    ///
    /// - Parameters:
    ///   - ids: a thousand at the most.
    ///   - query: the question.
    ///   - time: when the server should give up.
    /// - Returns: final records within its time, in any order; those that are counted by their date are left out.
    /// - Throws: what the store says.
    package func counted(
        _ ids: [NotificationID],
        _ query: StatisticsQuery,
        time: Duration
    ) throws(MongoError) -> [CountedDelivery] {
        let filter = counting(query) { filter in
            filter.append(Field.id) { condition in
                condition.append("$in", array: { array in for id in ids { array.append(uuid: id.high, id.low) } })
            }
            filter.append(Field.byDate) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(projection: Self.dimensions, maximumTime: time)
        return try collection.find(filter, options: options).all().compactMap(CountedDelivery.init)
    }

    /// Those that it finds by their dates, in pieces.
    ///
    /// - Parameters:
    ///   - query: the question.
    ///   - time: when the server should give up.
    ///   - body: gets a thousand at the most at once.
    /// - Throws: what the store says, and what the closure throws.
    package func forEachCountedByDate(
        _ query: StatisticsQuery,
        time: Duration,
        _ body: ([CountedDelivery]) throws(MongoError) -> Void
    ) throws(MongoError) {
        let filter = counting(query) { filter in
            filter.append(Field.byDate) { $0.append("$exists", bool: true) }
        }
        let cursor = collection.find(
            filter,
            options: MongoFindOptions(projection: Self.dimensions, maximumTime: time)
        )
        var piece: [CountedDelivery] = []
        while let document = try cursor.next() {
            guard let delivery = CountedDelivery(document) else { continue }
            piece.append(delivery)
            guard piece.count == Self.pieceSize else { continue }
            try body(piece)
            piece.removeAll(keepingCapacity: true)
        }
        if !piece.isEmpty { try body(piece) }
    }

    private static let pieceSize = 1000

    private func counting(_ query: StatisticsQuery, _ build: (BSONWriter) -> Void) -> BSONDocument {
        let asked = DeliveryQuery(
            client: query.client,
            outcomes: query.outcomes,
            excludedOutcomes: query.excludedOutcomes,
            reason: query.reason,
            lane: query.lane,
            topic: query.topic,
            pushType: query.pushType
        )
        let times = query.outcomeTimes
        return scope.filter { writer in
            build(writer)
            writer.append(Field.date) { condition in
                condition.append("$gte", date: times.lowerBound)
                condition.append("$lt", date: times.upperBound)
            }
            asked.appendConditions(tokenForm: tokenForm, to: writer)
        }
    }

    private static let dimensions = BSONDocument { writer in
        for field in [
            Field.date, Field.outcome, Field.reason, Field.client, Field.lane, Field.topic, Field.pushType,
            Field.givenID, Field.fingerprint,
        ] {
            writer.append(field, int: 1)
        }
    }
}

extension StatisticsQuery {
    /// When the outcomes are that are counted, in whole minutes, in milliseconds since 1970.
    var outcomeTimes: Range<Int64> {
        minutes.lowerBound * StatisticsMinute.milliseconds..<minutes.upperBound * StatisticsMinute.milliseconds
    }

    /// The ids that records may have which it finds by their keys: the first, and the one behind the last.
    package var ids: (first: NotificationID, end: NotificationID) {
        func id(_ minute: Int64) -> NotificationID {
            NotificationID(high: UInt64(max(0, minute * StatisticsMinute.milliseconds)) << 16, low: 0)
        }
        return (id(documents.lowerBound), id(documents.upperBound + 1))
    }

    /// When the step begins that a date lies in, both in milliseconds since 1970; `nil` where there are no steps.
    package func stepStart(of date: Int64) -> Int64? {
        step.map { $0 * StatisticsMinute.milliseconds }.map { date - date % $0 }
    }
}
