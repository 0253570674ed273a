import Glibc
import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// What the server did for every kind of search, by its own profiler, in a log of skewed records.
///
/// `WAYBILL_PLAN_RECORDS=1000000` is the long form.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct QueryPlanTests {
    private static let count = getenv("WAYBILL_PLAN_RECORDS").flatMap { Int(String(cString: $0)) } ?? 60_000
    private static let now = Int64(time(nil)) * 1000
    private static let busyToken = "b0b0"
    /// The most records that a search looks at to find one that no index leads to.
    private static let largestWindow = 32_000

    /// One client has nine of ten records, one device and one batch a tenth; a hundredth failed.
    private static func record(_ number: Int) -> DeliveryRecord {
        let isFailed = number.isMultiple(of: 100)
        var record = DeliveryRecord.sample(
            number,
            outcome: isFailed ? (number.isMultiple(of: 1000) ? .rejected : .tokenInvalid) : .accepted,
            token: number % 10 == 3 ? busyToken : "\(number)",
            reason: isFailed ? (number.isMultiple(of: 1000) ? "BadTopic" : "Unregistered") : nil,
            date: now - Int64(count - number) * 10,
            batch: number % 10 == 7 ? "busy" : "small.\(number / 500)",
            client: number.isMultiple(of: 10) ? "minor\(number % 7)" : "major",
            lane: number.isMultiple(of: 1000) ? "rare" : "parcels"
        )
        if number.isMultiple(of: 5) { record.serviceID = number.isMultiple(of: 500) ? "seldom" : "chatty" }
        record.id = NotificationID(high: UInt64(record.date - 50) << 16 | 0x8000, low: 1 << 63 | UInt64(number))
        record.latencyMilliseconds = Double(number * 7_919 % 60_013)
        return record
    }

    private struct Case {
        let name: String
        let query: DeliveryQuery
        /// Whether an index leads to the records; else they are looked for within windows.
        let isIndexed: Bool

        init(_ name: String, _ query: DeliveryQuery, isIndexed: Bool = true) {
            self.name = name
            self.query = query
            self.isIndexed = isIndexed
        }
    }

    private static let busy = Array(busyToken.utf8)[...]
    private static let cases = [
        Case("newest", DeliveryQuery()),
        Case("id", DeliveryQuery(id: record(7).id)),
        Case("id of nobody", DeliveryQuery(id: NotificationID(high: 1, low: 1))),
        Case("token", DeliveryQuery(deviceToken: busy)),
        Case("token of one push", DeliveryQuery(deviceToken: Array("8".utf8)[...])),
        Case("token since", DeliveryQuery(deviceToken: busy, since: now - 60_000)),
        Case("batch", DeliveryQuery(batch: BatchName("busy"))),
        Case("batch in parts", DeliveryQuery(batch: BatchName("small"))),
        Case("batch without parts", DeliveryQuery(batch: BatchName("small.7", includesParts: false))),
        Case("failures", DeliveryQuery(excludedOutcomes: [.accepted])),
        Case("outcome", DeliveryQuery(outcomes: [.rejected])),
        Case("outcomes", DeliveryQuery(outcomes: [.rejected, .tokenInvalid])),
        Case("reason", DeliveryQuery(reason: "BadTopic")),
        Case("reason of nothing", DeliveryQuery(reason: "Nothing")),
        Case("failures since", DeliveryQuery(excludedOutcomes: [.accepted], since: now - 60_000)),
        Case("large client", DeliveryQuery(client: "major")),
        Case("small client", DeliveryQuery(client: "minor3"), isIndexed: false),
        Case("client of nobody", DeliveryQuery(client: "nobody"), isIndexed: false),
        Case("lane", DeliveryQuery(lane: "rare"), isIndexed: false),
        Case("service", DeliveryQuery(service: "chatty"), isIndexed: false),
        Case("service that hardly says anything", DeliveryQuery(service: "seldom"), isIndexed: false),
        Case("service of a client", DeliveryQuery(client: "major", service: "nobody"), isIndexed: false),
        Case(
            "failures of a service",
            DeliveryQuery(service: "seldom", excludedOutcomes: [.accepted]),
            isIndexed: false
        ),
        Case("accepted", DeliveryQuery(outcomes: [.accepted])),
        Case("token and reason", DeliveryQuery(deviceToken: busy, reason: "Nothing"), isIndexed: false),
        Case("batch and outcome", DeliveryQuery(batch: BatchName("busy"), outcomes: [.rejected]), isIndexed: false),
        Case("not the large client", DeliveryQuery(client: TextFilter(excluding: ["major"])), isIndexed: false),
        Case("not a reason", DeliveryQuery(reason: TextFilter(excluding: ["Unregistered"]))),
        Case(
            "failures but for a reason",
            DeliveryQuery(excludedOutcomes: [.accepted], reason: TextFilter(excluding: ["Unregistered"])),
            isIndexed: false
        ),
        Case("reasons", DeliveryQuery(reason: TextFilter(["BadTopic", "Nothing"]))),
        Case(
            "a batch but for a lane",
            DeliveryQuery(batch: BatchName("busy"), lane: TextFilter(excluding: ["parcels"])),
            isIndexed: false
        ),
        Case("failures of a client", DeliveryQuery(client: "minor3", excludedOutcomes: [.accepted]), isIndexed: false),
    ]

    @Test func noSearchReadsMuchMoreThanItShows() throws {
        try TestStore.withLog { log in
            let database = log.options.database
            try load(log)
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: database)
            let scoped = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["minor3"]))
            try profile(log, isOn: true)
            for test in Self.cases {
                for (reader, isIndexed) in [(log.reader, test.isIndexed), (scoped, false)] {
                    var query = test.query
                    query.limit = 50
                    let page = try reader.page(query)
                    if let next = page.next { _ = try reader.page(query, from: next) }
                    for step in try steps(log) { check(step, test.name, isIndexed: isIndexed) }
                }
            }
        }
    }

    @Test func noGroupingReadsTheWholeLog() throws {
        try TestStore.withLog { log in
            try load(log)
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            let scoped = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["minor3"]))
            try profile(log, isOn: true)
            for test in Self.cases {
                var total = 0
                for reader in [log.reader, scoped] {
                    total = max(total, try reader.groups(test.query).reduce(0) { $0 + $1.count })
                    for step in try steps(log, of: "command.aggregate") {
                        let plan = step["planSummary"]?.string ?? ""
                        #expect(!plan.contains("COLLSCAN"), "\(test.name)")
                        // Conditions besides narrow what is one device's or one batch's, a tenth, or went wrong.
                        let examined = Int(step["docsExamined"]?.int ?? 0)
                        let narrowed = max(total, Self.count / 10) + 100
                        let most = test.query.canBeGrouped ? narrowed : DeliveryLogReader.mostLookedAt
                        #expect(examined <= most, "\(test.name): \(examined) looked at by \(plan)")
                    }
                }
            }
        }
    }

    @Test func aBatchInPartsIsReadOnceByItsIndex() throws {
        try TestStore.withLog { log in
            try load(log)
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            try profile(log, isOn: true)
            for name in ["busy", "small"] {
                let (groups, _) = try log.reader.parts(of: BatchName(name))
                let total = groups.reduce(0) { $0 + $1.count }
                for step in try steps(log, of: "command.aggregate") {
                    #expect(step["planSummary"]?.string?.contains("COLLSCAN") == false, "\(name)")
                    let examined = Int(step["docsExamined"]?.int ?? 0)
                    #expect(examined <= total + 100, "\(name): \(examined) looked at for \(total)")
                }
            }
        }
    }

    @Test func aBatchInRangesIsReadOnceByItsIndex() throws {
        try TestStore.withLog { log in
            try load(log)
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            try profile(log, isOn: true)
            let size = Self.count / 60
            for name in ["busy", "small"] {
                var left = BatchRanges(BatchName(name), size: size)
                var ranges: [BatchRange] = []
                while let range = try left.next(log.reader, time: .seconds(5)) { ranges.append(range) }
                // Where ranges begin is read from the index alone.
                for step in try steps(log, of: "command.aggregate") {
                    #expect(step["docsExamined"]?.int == 0, "\(name)")
                    #expect(try #require(step["keysExamined"]?.int) <= size + 2, "\(name)")
                }

                var fold = BatchPartsFold()
                for isMostlyAccepted in [true, false] {
                    fold = BatchPartsFold()
                    for range in ranges {
                        let part = try log.reader.count(
                            range,
                            withParts: true,
                            isMostlyAccepted: isMostlyAccepted,
                            time: .seconds(5)
                        )
                        fold.add(part)
                    }
                    let total = fold.sortedGroups.reduce(0) { $0 + $1.count }
                    // What failed is looked at once more, by an index that has nothing else.
                    let failed =
                        isMostlyAccepted
                        ? fold.sortedGroups.filter { $0.isFailure || $0.isCancelled }.reduce(0) { $0 + $1.count } : 0
                    #expect(ranges.count >= total / size && ranges.count <= 2 * total / size + 3, "\(name)")
                    var examined = 0
                    for step in try steps(log, of: "command.aggregate") {
                        #expect(step["planSummary"]?.string?.contains("batch_id") == true, "\(name)")
                        examined += Int(step["docsExamined"]?.int ?? 0)
                    }
                    // Not at least the total: the profiler leaves out a step where the server is busy with something else.
                    let most = total + failed + 100 * ranges.count
                    #expect(examined > 0 && examined <= most, "\(name): \(examined) of \(most)")
                }

                // The slowest answers are looked for in few ranges, by the same index.
                let scoped = try DeliveryLogReader(
                    client: log.client,
                    options: log.options,
                    scope: .clients(Set(exactly: log.reader.parts(of: BatchName(name)).groups.compactMap(\.client)))
                )
                for reader in [log.reader, scoped] {
                    #expect(
                        try reader.slowest(of: fold, time: .seconds(5))
                            == log.reader.parts(of: BatchName(name)).parts.slowest
                    )
                    let asked = try steps(log, of: "command.aggregate").filter { step in
                        step["command"]?.document?["hint"] != nil
                    }
                    for step in asked {
                        #expect(step["planSummary"]?.string?.contains("batch_id") == true, "\(name)")
                        #expect(try #require(step["keysExamined"]?.int) <= 4 * size + 100, "\(name)")
                    }
                    #expect(!asked.isEmpty && asked.count <= 3, "\(name)")
                }
            }
        }
    }

    private func check(_ step: BSONDocument, _ name: String, isIndexed: Bool) {
        let plan = step["planSummary"]?.string ?? ""
        let examined = Int(step["docsExamined"]?.int ?? 0)
        let returned = Int(step["nreturned"]?.int ?? 0)
        #expect(!plan.contains("COLLSCAN"), "\(name)")
        // A day of a token is read as a whole, and sorted.
        let isByDay = plan.contains("day: 1")
        #expect(step["hasSortStage"] == nil || isByDay || returned <= 50 && examined <= 100, "\(name): \(plan)")
        let most = isByDay ? Self.count / 10 : isIndexed ? 2 * returned + 100 : Self.largestWindow
        #expect(examined <= most, "\(name): \(examined) looked at for \(returned) by \(plan)")
    }

    /// What was read since the last call, each as the server profiled it.
    private func steps(_ log: TestLog, of command: StaticString = "command.find") throws -> [BSONDocument] {
        try profile(log, isOn: false)
        let profile = log.client.collection(database: log.options.database, name: "system.profile")
        let asked = BSONDocument { filter in
            filter.append("ns", string: "\(log.options.database).\(Deliveries.collection)")
            filter.append(command, document: { $0.append("$exists", bool: true) })
        }
        let found = try profile.find(asked).all()
        _ = try log.client.command(
            database: log.options.database,
            BSONDocument { $0.append("drop", string: "system.profile") }
        )
        #expect(!found.isEmpty)
        try self.profile(log, isOn: true)
        return found
    }

    private func profile(_ log: TestLog, isOn: Bool) throws {
        _ = try log.client.command(
            database: log.options.database,
            BSONDocument { $0.append("profile", int: isOn ? 2 : 0) }
        )
    }

    private func load(_ log: TestLog) throws {
        let encoder = RecordEncoder(options: log.options)
        let document = BSONWriter()
        for first in stride(from: 0, to: Self.count, by: 10_000) {
            let bulk = log.collection.bulk()
            for number in first..<min(first + 10_000, Self.count) {
                encoder.encode(Self.record(number), into: document)
                try bulk.insert(document)
            }
            try bulk.execute().requireDurable("load records")
        }
    }
}
