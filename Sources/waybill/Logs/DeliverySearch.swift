import WaybillDeliveryLog
import WaybillMongo

/// A search that goes from page to page until it has enough, or has taken too long.
struct DeliverySearch {
    /// How long somebody waits at a terminal.
    private static let patience = Duration.seconds(12)
    /// How much older than ``DeliveryQuery/since`` the messages are, in milliseconds, of which hardly any has ended since then.
    private static let late: Int64 = 3_600_000

    private let reader: DeliveryLogReader
    private let patienceAmongLate: Duration
    private var query: DeliveryQuery
    private var left: Int
    private let end: ContinuousClock.Instant
    private var deadline: ContinuousClock.Instant
    private var hasEnded = false
    private var beganLate = false
    /// Where the next record is; `nil` behind the last one.
    private(set) var position: DeliveryPosition?
    /// Whether the time was up before there was enough.
    private(set) var isCutShort = false
    /// Whether only messages are left that are much older than what is asked for.
    private(set) var isAmongLate = false

    /// - Parameters:
    ///   - reader: the log.
    ///   - query: what is searched for.
    ///   - cursor: where to begin; `nil` at the beginning.
    ///   - patienceAmongLate: how long nothing may be found among messages that are much older than what is asked for.
    /// - Throws: ``CommandFailure`` for a cursor that this search has not made.
    init(
        reader: DeliveryLogReader,
        query: DeliveryQuery,
        cursor: String?,
        patienceAmongLate: Duration = .milliseconds(100)
    ) throws {
        self.reader = reader
        self.patienceAmongLate = patienceAmongLate
        self.query = query
        left = query.limit ?? .max
        end = .now + Self.patience
        deadline = end
        if let cursor {
            position = reader.position(cursor, of: query)
            guard position != nil else {
                throw CommandFailure(
                    .badInput,
                    "the cursor is of another search; only --since, --until and --limit may differ"
                )
            }
            // Whoever asks for those waits for them.
            beganLate = position.map(isLate) ?? false
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
            // Page by page, to see how far it has come.
            page = try reader.page(
                query,
                from: position,
                time: time,
                patience: patienceAmongLate,
                endsBeforeUnlikely: true
            )
        } catch {
            guard error.code == .timeLimitExceeded, isAmongLate || position?.isBeyondLikely ?? false else {
                throw error
            }
            isCutShort = true
            return nil
        }
        if !beganLate, let next = page.next, isLate(next), !isAmongLate || !page.records.isEmpty {
            isAmongLate = true
            deadline = min(end, .now + patienceAmongLate)
        }
        position = page.next
        hasEnded = page.next == nil
        left -= page.records.count
        return page.records
    }

    private func isLate(_ next: DeliveryPosition) -> Bool {
        guard let since = query.since else { return false }
        return next.isBeyondLikely || next.messageTime.map { $0 < since - Self.late } ?? false
    }
}
