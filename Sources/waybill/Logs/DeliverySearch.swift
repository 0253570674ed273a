import WaybillDeliveryLog
import WaybillMongo

/// A search that goes from page to page until it has enough, or has taken too long.
struct DeliverySearch {
    /// How long somebody waits at a terminal.
    private static let patience = Duration.seconds(12)
    /// How long where hardly anything can be found.
    private static let patienceBeyondLikely = Duration.milliseconds(200)

    private let reader: DeliveryLogReader
    private var query: DeliveryQuery
    private var left: Int
    private var deadline = ContinuousClock.now + patience
    private var hasEnded = false
    /// Where the next record is; `nil` behind the last one.
    private(set) var position: DeliveryPosition?
    /// Whether the time was up before there was enough.
    private(set) var isCutShort = false

    /// - Throws: ``CommandFailure`` for a cursor that this search has not made.
    init(reader: DeliveryLogReader, query: DeliveryQuery, cursor: String?) throws {
        self.reader = reader
        self.query = query
        left = query.limit ?? .max
        if let cursor {
            position = reader.position(cursor, of: query)
            guard position != nil else {
                throw CommandFailure(
                    .badInput,
                    "the cursor is of another search; only --since, --until and --limit may differ"
                )
            }
        }
    }

    /// The next records, perhaps none; `nil` when there are enough, or no more, or the time is up.
    mutating func next() throws(MongoError) -> [LoggedDelivery]? {
        guard left > 0, !hasEnded else { return nil }
        let time = deadline - .now
        guard time > .zero else {
            isCutShort = true
            return nil
        }
        query.limit = min(left, DeliveryPage.mostRecords)
        let page: DeliveryPage
        do throws(MongoError) {
            page = try reader.page(query, from: position, time: time, endsBeforeUnlikely: true)
        } catch {
            guard error.code == .timeLimitExceeded, position?.isBeyondLikely ?? false else { throw error }
            isCutShort = true
            return nil
        }
        if page.next?.isBeyondLikely ?? false, !(position?.isBeyondLikely ?? false) {
            deadline = min(deadline, .now + Self.patienceBeyondLikely)
        }
        position = page.next
        hasEnded = page.next == nil
        left -= page.records.count
        return page.records
    }
}
