package import WaybillMongo

/// The records that a query found, fetched page by page as they are read.
package final class DeliveryCursor {
    private static let pageSize = 1_000

    private let reader: DeliveryLogReader
    private let query: DeliveryQuery
    private var left: Int
    private var page: ArraySlice<LoggedDelivery> = []
    private var position: DeliveryPosition?
    private var hasEnded = false

    init(reader: DeliveryLogReader, query: DeliveryQuery) {
        self.reader = reader
        self.query = query
        left = query.limit ?? .max
    }

    /// The next record; `nil` after the last one.
    ///
    /// - Throws: what the store says; ``WaybillMongo/MongoError/Code/timeLimitExceeded`` when the next page could not be
    ///   filled within the reader's time limit.
    package func next() throws(MongoError) -> LoggedDelivery? {
        while page.isEmpty {
            guard left > 0, !hasEnded else { return nil }
            try fetch()
        }
        left -= 1
        return page.popFirst()
    }

    /// All records that are left.
    package func all() throws(MongoError) -> [LoggedDelivery] {
        var deliveries: [LoggedDelivery] = []
        while let delivery = try next() { deliveries.append(delivery) }
        return deliveries
    }

    private func fetch() throws(MongoError) {
        let limit = min(left, Self.pageSize)
        let read = try reader.page(query, from: position, limit: limit, time: reader.maximumTime)
        page = read.records[...]
        position = read.next
        hasEnded = read.next == nil
        guard read.records.isEmpty, read.isCutShort else { return }
        throw MongoError(
            code: .timeLimitExceeded,
            operation: "search the delivery log",
            reason: "nothing more was found within the time limit"
        )
    }
}
