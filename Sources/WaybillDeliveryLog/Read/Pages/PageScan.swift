import Glibc
import WaybillCore
import WaybillMongo

/// One page being read.
///
/// Where the index answers the whole search, the page is one query. Where records must be looked at to see whether they
/// match, it goes through the index window by window, so that it can end in time and say where to go on.
struct PageScan {
    private static let firstWindow = 2_000
    private static let largestWindow = 32_000

    private let reader: DeliveryLogReader
    private let query: DeliveryQuery
    private let path: DeliveryPath
    private let isAnswered: Bool
    private let limit: Int
    private let deadline: ContinuousClock.Instant
    /// When no further window is begun.
    private let rest: ContinuousClock.Instant
    private let endsBeforeUnlikely: Bool
    private var window = firstWindow
    /// How many days of a token the next query looks at.
    private var days = 1
    private var records: [LoggedDelivery] = []
    private var hasMoved = false

    init(
        reader: DeliveryLogReader,
        query: DeliveryQuery,
        limit: Int,
        time: Duration,
        patience: Duration,
        endsBeforeUnlikely: Bool
    ) {
        self.endsBeforeUnlikely = endsBeforeUnlikely
        self.reader = reader
        self.query = query
        self.limit = limit
        path = DeliveryPath(query)
        isAnswered = query.isAnswered(by: path, scope: reader.scope)
        let now = ContinuousClock.now
        deadline = now + time
        rest = now + min(time, patience)
    }

    /// Reads from a place on.
    ///
    /// - Parameter start: where to begin; `nil` at the beginning.
    /// - Returns: the records, and the place of the next one.
    /// - Throws: what the store says; ``WaybillMongo/MongoError/Code/timeLimitExceeded`` only if nothing was reached at all.
    mutating func read(
        from start: DeliveryPosition.Place?
    ) throws(MongoError) -> (records: [LoggedDelivery], next: DeliveryPosition.Place?, isCutShort: Bool) {
        if path == .id { return (try readID(), nil, false) }
        var place = start
        if place == nil { place = try firstPlace() }
        while let here = place {
            guard records.count < limit else { return (records, here, false) }
            guard !hasMoved || .now < rest else { return (records, here, true) }
            if hasMoved, endsBeforeUnlikely, case .earlier = here { return (records, here, false) }
            do throws(MongoError) {
                place = try step(from: here)
                hasMoved = true
            } catch {
                guard error.code == .timeLimitExceeded, hasMoved else { throw error }
                return (records, here, true)
            }
        }
        return (records, nil, false)
    }

    private func readID() throws(MongoError) -> [LoggedDelivery] {
        let filter = query.filter(tokenForm: reader.tokenForm, scope: reader.scope)
        let found = try reader.collection.find(filter, options: options(limit: limit)).all()
        return found.map { LoggedDelivery(document: $0) }.sorted { $0.date > $1.date }
    }

    /// - Returns: where to go on; `nil` at the end of everything.
    private mutating func step(from place: DeliveryPosition.Place) throws(MongoError) -> DeliveryPosition.Place? {
        if case .tie(let date, let below) = place { return try stepThroughTie(date, below: below) }
        let began = ContinuousClock.now
        let end = try path == .token ? firstDay(from: place) : isAnswered ? nil : windowEnd(from: place)
        let wanted = limit - records.count
        // By date, one more tells whether the page ends among records of the same date.
        let isByDate = if case .date = place { true } else { false }
        var found = try find(place, downTo: end, limit: isByDate ? wanted + 1 : wanted)
        if isByDate, found.count > wanted { return endByDate(found) }
        if isByDate { Self.order(&found) }
        records += found
        if !isByDate, found.count == wanted, let last = found.last {
            return Self.place(below: .id(last.id ?? Self.lowest), from: place)
        }
        window = Self.window(after: window, taking: .now - began, left: rest - .now)
        if case .day(let day) = end {
            days *= 4
            guard day > oldestDay else { return nil }
        }
        return if let end { Self.place(below: end, from: place) } else { try placeAfter(place) }
    }

    /// How many records to look at next.
    ///
    /// - Parameters:
    ///   - window: how many there were.
    ///   - time: what they took.
    ///   - left: until no further window is begun.
    /// - Returns: more than before, but no more than are looked at in what is left at the same pace.
    static func window(after window: Int, taking time: Duration, left: Duration) -> Int {
        let affordable = Double(window) * (max(left, .zero) / max(time, .microseconds(1)))
        return max(firstWindow, min(window * 4, largestWindow, Int(affordable)))
    }

    private func find(
        _ place: DeliveryPosition.Place,
        downTo end: WindowEnd?,
        limit: Int
    ) throws(MongoError) -> [LoggedDelivery] {
        let filter = reader.scope.filter { writer in
            query.appendConditions(tokenForm: reader.tokenForm, to: writer)
            append(place, downTo: end, to: writer)
        }
        var options = options(limit: limit)
        if case .tie = place {
            options.sort = BSONDocument { sort in
                // The date, which is the same, keeps the server from going through all records by their ids.
                sort.append(Field.date, int: -1)
                sort.append(Field.id, int: -1)
            }
        }
        return try reader.collection.find(filter, options: options).all().map { LoggedDelivery(document: $0) }
    }

    /// Ends a page that is by date, given one more record than it has room for.
    private mutating func endByDate(_ found: [LoggedDelivery]) -> DeliveryPosition.Place? {
        var whole = found.filter { $0.date > found[found.count - 1].date }
        Self.order(&whole)
        records += whole
        let date = found[found.count - 1].date
        guard whole.count < found.count - 1 else { return .date(date) }
        // The records of one date have no order of their own, and any of them may go away: they are shown by their ids.
        return .tie(date, below: nil)
    }

    private mutating func stepThroughTie(
        _ date: Int64,
        below: NotificationID?
    ) throws(MongoError) -> DeliveryPosition.Place? {
        let wanted = limit - records.count
        let found = try find(.tie(date, below: below), downTo: nil, limit: wanted)
        records += found
        guard found.count == wanted, let last = found.last else { return .date(date - 1) }
        return .tie(date, below: last.id ?? Self.lowest)
    }

    /// Puts records that the index has by date in an order that does not depend on where pages end.
    private static func order(_ records: inout [LoggedDelivery]) {
        records.sort { left, right in
            guard left.date == right.date else { return left.date > right.date }
            let (leftID, rightID) = (left.id ?? lowest, right.id ?? lowest)
            return (leftID.high, leftID.low) > (rightID.high, rightID.low)
        }
    }

    private func options(limit: Int, skip: Int = 0) -> MongoFindOptions {
        MongoFindOptions(
            sort: sort,
            limit: limit,
            skip: skip,
            batchSize: limit + 1,
            maximumTime: timeLeft,
            readsMajority: true,
            index: query.tokenIndex
        )
    }

    /// The first step has time enough on a busy server: a page that cannot move at all tells nothing.
    private var timeLeft: Duration { max(deadline - .now, hasMoved ? .milliseconds(50) : .seconds(1)) }

    private var sort: BSONDocument? {
        switch path {
        case .id: nil
        case .token, .failures: BSONDocument { $0.append(Field.date, int: -1) }
        case .batch, .messages: BSONDocument { $0.append(Field.id, int: -1) }
        }
    }
}

extension PageScan {
    /// How far the clock of a producer may be ahead.
    private static let ahead: Int64 = 24 * 3_600_000
    /// How long before its outcome a message is looked for: what is tried again for as long as retries go on by default
    /// is within.
    private static let late: Int64 = 25 * 3_600_000

    private func firstPlace() throws(MongoError) -> DeliveryPosition.Place? {
        switch path {
        case .id: return nil
        case .token, .failures: return .date(.max)
        case .messages:
            let now = Int64(time(nil)) * 1000
            let last = min(query.until ?? .max - Self.ahead, now) + Self.ahead
            // What lies above comes behind it: ids that are no times, and those of clocks that are wrong.
            return .timed(below: Self.id(at: last), boundary: Self.id(at: last))
        case .batch:
            guard let batch = query.batch else { return nil }
            guard batch.includesParts else { return .batch(batch.name, below: nil) }
            return .batch(try part(of: batch, below: nil) ?? batch.name, below: nil)
        }
    }

    /// Where a place's own range has ended, what comes next.
    private func placeAfter(_ place: DeliveryPosition.Place) throws(MongoError) -> DeliveryPosition.Place? {
        switch place {
        case .date, .tie, .earlier: return nil
        case .untimed: return query.since.map { .earlier(below: Self.id(at: $0 - Self.late)) }
        case .timed(_, let boundary):
            // Dates of the past are of no help with ids that have no time: they are looked at in any case.
            return .untimed(below: nil, boundary: boundary)
        case .batch(let name, _):
            guard let batch = query.batch, name != batch.name else { return nil }
            return .batch(try part(of: batch, below: name) ?? batch.name, below: nil)
        }
    }

    /// The name of the part before another one, in the order of their text, backwards.
    private func part(of batch: BatchName, below name: String?) throws(MongoError) -> String? {
        let filter = BSONDocument { batch.appendParts(below: name, to: $0) }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.batchID, int: -1) },
            projection: BSONDocument {
                $0.append(Field.batchID, int: 1)
                $0.append(Field.id, int: 0)
            },
            maximumTime: timeLeft,
            readsMajority: true
        )
        return try reader.collection.findOne(filter, options: options)?["\(Field.batchID)"]?.string
    }

    private static let lowest = NotificationID(high: 0, low: 0)

    private static func id(at milliseconds: Int64) -> NotificationID {
        NotificationID(high: UInt64(clamping: max(0, min(milliseconds, 1 << 48 - 1))) << 16, low: 0)
    }
}

/// The last key of a window, which belongs to it.
private enum WindowEnd {
    case date(Int64)
    case day(Int)
    case id(NotificationID)
}

extension PageScan {
    private static func place(below end: WindowEnd, from place: DeliveryPosition.Place) -> DeliveryPosition.Place {
        switch (end, place) {
        case (.date(let date), _): .date(date - 1)
        case (.day(let day), _): .date(LogDay.end(before: day))
        case (.id(let id), .batch(let name, _)): .batch(name, below: id)
        case (.id(let id), .timed(_, let boundary)): .timed(below: id, boundary: boundary)
        case (.id(let id), .untimed(_, let boundary)): .untimed(below: id, boundary: boundary)
        case (.id(let id), .earlier): .earlier(below: id)
        case (.id, .date), (.id, .tie): place
        }
    }

    /// The oldest day that a search for a token looks at.
    private var oldestDay: Int { query.since.map(LogDay.of) ?? 0 }

    /// The oldest day of the next window of a token: the newest days first, few of them, since most pages are full soon.
    private func firstDay(from place: DeliveryPosition.Place) -> WindowEnd? {
        guard case .date(let date) = place else { return nil }
        let last = min(date, query.until ?? .max, Int64(time(nil)) * 1000)
        return .day(max(LogDay.of(last) - days + 1, oldestDay))
    }

    /// Where the next window ends; `nil` if what is left is no more than a window.
    ///
    /// The server looks at no record for it.
    private func windowEnd(from place: DeliveryPosition.Place) throws(MongoError) -> WindowEnd? {
        let filter = BSONDocument { writer in
            if path == .failures { writer.append(Field.outcome, document: DeliveryLogIndexes.failed) }
            append(place, downTo: nil, to: writer, forWindow: true)
        }
        var options = options(limit: 1, skip: window - 1)
        options.projection = BSONDocument { writer in
            switch path {
            case .failures:
                writer.append(Field.date, int: 1)
                writer.append(Field.id, int: 0)
            case .batch:
                writer.append(Field.batchID, int: 1)
                writer.append(Field.id, int: 1)
            case .messages, .id, .token: writer.append(Field.id, int: 1)
            }
        }
        guard let last = try reader.collection.find(filter, options: options).next() else { return nil }
        if let date = last["\(Field.date)"]?.date { return .date(date) }
        guard case .uuid(let high, let low) = last["\(Field.id)"] else { return nil }
        return .id(NotificationID(high: high, low: low))
    }

    /// Appends where in the index to look.
    private func append(
        _ place: DeliveryPosition.Place,
        downTo end: WindowEnd?,
        to writer: BSONWriter,
        forWindow: Bool = false
    ) {
        let lastID: NotificationID? = if case .id(let id) = end { id } else { nil }
        let lastDate: Int64? = if case .date(let date) = end { date } else { nil }
        if case .day(let day) = end, case .date(let date) = place {
            writer.append(daysFrom: LogDay.end(before: day) + 1, through: date == .max ? query.until : date)
        } else if path == .token, case .tie(let date, _) = place {
            writer.append(daysFrom: date, through: date)
        }
        switch place {
        case .date(let date):
            if !forWindow { query.batch?.append(to: writer) }
            query.appendDates(from: lastDate, upTo: date == .max ? nil : date, to: writer)
        case .tie(let date, let below):
            query.batch?.append(to: writer)
            query.appendDates(from: date, upTo: date, to: writer)
            appendIDs(below: below, from: nil, to: writer)
        case .batch(let name, let below):
            writer.append(Field.batchID, string: name)
            appendIDs(below: below, from: lastID, to: writer)
            if !forWindow { query.appendDates(upTo: nil, to: writer) }
        case .timed(let below, _):
            let first = query.since.map { Self.id(at: $0 - Self.late) }
            appendIDs(below: below, from: lastID ?? first, to: writer)
            if !forWindow { query.appendDates(upTo: nil, to: writer) }
        case .untimed(let below, let boundary):
            appendIDs(below: below, from: lastID ?? boundary, to: writer)
            if !forWindow { query.appendDates(upTo: nil, to: writer) }
        case .earlier(let below):
            appendIDs(below: below, from: lastID, to: writer)
            if !forWindow { query.appendDates(upTo: nil, to: writer) }
        }
    }

    private func appendIDs(below: NotificationID?, from first: NotificationID?, to writer: BSONWriter) {
        guard below != nil || first != nil else { return }
        writer.append(
            Field.id,
            document: { condition in
                if let below { condition.append("$lt", uuid: below.high, below.low) }
                if let first { condition.append("$gte", uuid: first.high, first.low) }
            }
        )
    }
}
