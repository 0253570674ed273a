package import WaybillMongo
import WaybillTLS

extension DeliveryLogReader {
    /// The records that match, as many as a page has, in an order that an index carries: ``DeliveryPage/next`` goes on.
    ///
    /// The order is by date, newest first, of one device and of failures; by message, newest first, of everything else.
    /// A message's time is the one in front of its ids; where a producer gives ids, or no time, they come last. With
    /// ``DeliveryQuery/since``, messages that are more than a day older come behind them
    /// (``DeliveryPosition/isBeyondLikely``).
    ///
    /// - Parameters:
    ///   - query: what is asked; its limit is how many the page may have, ``DeliveryPage/mostRecords`` at the most.
    ///   - position: where to begin, of this query; `nil` at the beginning.
    ///   - time: when to stop looking, ``DeliveryPage/longestTime`` at the most. What was found by then is the page.
    ///   - patience: when not to begin with another part of the index, though the page is not full: somebody waits for it.
    ///   - endsBeforeUnlikely: whether the page ends, full or not, where only messages are left that are more than a day older
    ///     than ``DeliveryQuery/since``: hardly one of those matches, and there may be millions.
    /// - Returns: the page.
    /// - Throws: what the store says; ``WaybillMongo/MongoError/Code/timeLimitExceeded`` if nothing was reached at all.
    package func page(
        _ query: DeliveryQuery,
        from position: DeliveryPosition? = nil,
        time: Duration = DeliveryPage.longestTime,
        patience: Duration = DeliveryPage.longestTime,
        endsBeforeUnlikely: Bool = false
    ) throws(MongoError) -> DeliveryPage {
        let limit = max(1, min(query.limit ?? DeliveryPage.mostRecords, DeliveryPage.mostRecords))
        return try page(
            query,
            from: position,
            limit: limit,
            time: min(time, DeliveryPage.longestTime),
            patience: patience,
            endsBeforeUnlikely: endsBeforeUnlikely
        )
    }

    /// As ``page(_:from:time:)``, for who wants all records: larger pages, and the query's limit does not count.
    ///
    /// - Parameters:
    ///   - query: what is asked.
    ///   - position: where to begin, of this query; `nil` at the beginning.
    /// - Returns: the page.
    /// - Throws: what the store says.
    package func exportPage(_ query: DeliveryQuery, from position: DeliveryPosition?) throws(MongoError) -> DeliveryPage
    {
        try page(query, from: position, limit: DeliveryPage.mostExported, time: maximumTime)
    }

    func page(
        _ query: DeliveryQuery,
        from position: DeliveryPosition?,
        limit: Int,
        time: Duration,
        patience: Duration? = nil,
        endsBeforeUnlikely: Bool = false
    ) throws(MongoError) -> DeliveryPage {
        var scan = PageScan(
            reader: self,
            query: query,
            limit: limit,
            time: time,
            patience: patience ?? time,
            endsBeforeUnlikely: endsBeforeUnlikely
        )
        let read = try scan.read(from: position?.place)
        let fingerprint = fingerprint(of: query)
        return DeliveryPage(
            order: DeliveryPath(query).order,
            records: read.records,
            next: read.next.map { DeliveryPosition(place: $0, fingerprint: fingerprint) },
            isCutShort: read.isCutShort
        )
    }

    /// Reads the text of a position that this query led to, with this reader's scope; `nil` for any other text.
    ///
    /// A position may be anybody's text: it changes where a search begins, never whose records it finds.
    package func position(_ text: String, of query: DeliveryQuery) -> DeliveryPosition? {
        guard let position = DeliveryPosition(text), position.fingerprint == fingerprint(of: query),
            position.isOnPath(of: query)
        else { return nil }
        return position
    }

    /// What a position belongs to: the filters of a query, and this reader's scope, as a hash.
    ///
    /// The dates are left out: "since two hours ago" is another moment with each page.
    package func fingerprint(of query: DeliveryQuery) -> UInt64 {
        var undated = query
        undated.since = nil
        undated.until = nil
        return SHA256Hasher.digest(of: undated.filter(tokenForm: tokenForm, scope: scope).bytes[...]).words.0
    }
}
