import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongoTestSupport

@testable import waybill

/// A search with `--since` comes to messages that are older than that, some of which have ended since then.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliverySearchTests {
    private static let since: Int64 = 1_790_000_000_000
    private static let minute: Int64 = 60_000
    /// More than are looked at in one go.
    private static let count = 2_500

    /// Runs a test with a log of messages that were sent so long before `since` and ended at once, and of one that was sent
    /// three hours before `since` and ended after it.
    private func withLog(
        _ minutes: Int64,
        _ test: (_ reader: DeliveryLogReader, _ late: NotificationID) throws -> Void
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            _ = try DeliveryLogIndexes.ensure(client: client, database: database)
            let sent = Self.since - minutes * Self.minute
            let late = Self.record(sent: Self.since - 180 * Self.minute, ended: Self.since + 1)
            let entries = [late] + (0..<Int64(Self.count)).map { Self.record(sent: sent + $0, ended: sent + $0 + 50) }
            try DeliveryLogWriter(client: client, options: options).write(entries.map { LogEntry(record: $0) })
            try test(DeliveryLogReader(client: client, options: options, scope: .all), late.id)
        }
    }

    private static func record(sent: Int64, ended: Int64) -> DeliveryRecord {
        DeliveryRecord(
            id: NotificationID(high: UInt64(sent) << 16 | 0x8000, low: 1 << 63),
            deviceToken: Array("00aa".utf8)[...],
            outcome: .accepted,
            date: ended,
            batchID: "b",
            client: "acme",
            lane: "parcels"
        )
    }

    private func search(
        _ reader: DeliveryLogReader,
        from cursor: String? = nil,
        patience: Duration
    ) throws -> (found: [NotificationID], search: DeliverySearch) {
        var search = try DeliverySearch(
            reader: reader,
            query: DeliveryQuery(since: Self.since),
            cursor: cursor,
            patienceAmongLate: patience
        )
        var found: [NotificationID] = []
        while let records = try search.next() { found += records.compactMap(\.id) }
        return (found, search)
    }

    @Test func itRestsAmongMessagesThatAreMoreThanAnHourOlder() throws {
        try withLog(90) { reader, late in
            let (none, rested) = try search(reader, patience: .zero)
            #expect(none.isEmpty && rested.isCutShort && rested.isAmongLate)
            // Whoever goes on from there has all of them looked at.
            let (found, ended) = try search(reader, from: try #require(rested.position?.text), patience: .zero)
            #expect(found == [late] && !ended.isCutShort)
        }
    }

    @Test func withTimeItLooksAtThoseToo() throws {
        try withLog(90) { reader, late in
            let (found, ended) = try search(reader, patience: .seconds(60))
            #expect(found == [late] && !ended.isCutShort)
        }
    }

    @Test func messagesOfTheHourBeforeAreAllLookedAt() throws {
        try withLog(30) { reader, late in
            let (found, _) = try search(reader, patience: .zero)
            #expect(found == [late])
        }
    }
}
