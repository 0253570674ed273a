import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryTailTests {
    private func tail(_ log: TestLog, _ query: DeliveryQuery = .init(), scope: DeliveryScope = .all) throws
        -> DeliveryTail
    {
        let tail = DeliveryTail(client: log.client, options: log.options, scope: scope, query: query)
        // From here on nothing is missed.
        _ = try tail.next(showing: 1, within: .zero)
        return tail
    }

    /// Reads until so many have come, or for ten seconds.
    private func read(_ tail: DeliveryTail, _ count: Int, showing most: Int = 100) throws -> DeliveryTail.Batch {
        var all = DeliveryTail.Batch()
        let deadline = ContinuousClock.now + .seconds(10)
        while all.matched < count, .now < deadline {
            let batch = try tail.next(showing: most, within: .seconds(1))
            all.records += batch.records
            all.matched += batch.matched
            all.hasGap = all.hasGap || batch.hasGap
        }
        return all
    }

    @Test func recordsComeAsTheyAreWritten() throws {
        try TestStore.withLog { log in
            try log.write(.sample(1))
            let tail = try tail(log)
            try log.write(.sample(2), .sample(3, outcome: .rejected, reason: "BadTopic"))
            let batch = try read(tail, 2)
            #expect(batch.records.map(\.id?.low) == [2, 3])
            #expect(batch.records.last?.reason == "BadTopic")
            #expect(batch.matched == 2)
            #expect(!batch.hasGap)
        }
    }

    @Test func aSuccessorOfADeferredRecordComesToo() throws {
        try TestStore.withLog { log in
            let tail = try tail(log)
            try log.write(.sample(1, outcome: .deferred, reason: "unreachable", attempts: 0))
            let document = BSONWriter()
            RecordEncoder(options: log.options).encode(.sample(1), into: document)
            let filter = BSONWriter()
            filter.append("_id", uuid: 7, 1)
            let bulk = log.collection.bulk()
            try bulk.replaceOne(filter: filter, with: document, upsert: false)
            try bulk.execute().requireDurable("replace")
            #expect(try read(tail, 2).records.map(\.outcome) == ["deferred", "accepted"])
        }
    }

    @Test func everyFilterHolds() throws {
        let queries: [DeliveryQuery] = [
            DeliveryQuery(deviceToken: Array("ffee".utf8)[...]), DeliveryQuery(batch: BatchName("other")),
            DeliveryQuery(batch: BatchName("other", includesParts: false)),
            DeliveryQuery(id: NotificationID(high: 7, low: 2)), DeliveryQuery(client: "acme"),
            DeliveryQuery(outcomes: [.rejected]), DeliveryQuery(excludedOutcomes: [.accepted]),
            DeliveryQuery(reason: "BadTopic"), DeliveryQuery(lane: "second"),
            DeliveryQuery(topic: "com.example.app", since: .max, until: 1),
        ]
        try TestStore.withLog { log in
            let other = DeliveryRecord.sample(
                2,
                outcome: .rejected,
                token: "ffee",
                reason: "BadTopic",
                batch: "other",
                client: "acme",
                lane: "second"
            )
            var first = DeliveryRecord.sample(1)
            first.topic = "com.example.another"
            for query in queries {
                let tail = try tail(log, query)
                try log.write(first, other)
                let found = try read(tail, 1)
                #expect(found.records.map(\.id?.low) == [2], "\(query)")
                _ = try log.client.command(
                    database: log.options.database,
                    BSONDocument { writer in
                        writer.append("delete", string: Deliveries.collection)
                        writer.append(
                            "deletes",
                            array: { array in
                                array.append(document: { delete in
                                    delete.append("q", document: .empty)
                                    delete.append("limit", int: 0)
                                })
                            }
                        )
                    }
                )
            }
        }
    }

    @Test func aTailBeginsEarlierThanNow() throws {
        try TestStore.withLog { log in
            let second = try #require(try log.client.clock()) / 1000
            try log.write(.sample(1), .sample(2))
            let tail = DeliveryTail(client: log.client, options: log.options, scope: .all, query: .init())
            tail.resume(fromSecond: second)
            #expect(try read(tail, 2).records.map(\.id?.low) == [1, 2])
        }
    }

    @Test func anotherClientsRecordsDoNotCome() throws {
        try TestStore.withLog { log in
            let narrow = try tail(log, scope: .clients(["acme"]))
            let foreign = try tail(log, DeliveryQuery(client: "rival"), scope: .clients(["acme"]))
            try log.write(.sample(1, client: "rival"), .sample(2), .sample(3, client: "acme"))
            #expect(try read(narrow, 1).records.map(\.client) == ["acme"])
            #expect(try foreign.next(showing: 10, within: .seconds(1)).matched == 0)
        }
    }

    @Test func aTailGoesOnWhereAnotherEnded() throws {
        try TestStore.withLog { log in
            let first = try tail(log)
            try log.write(.sample(1))
            #expect(try read(first, 1).matched == 1)
            let position = try #require(first.position)
            try log.write(.sample(2), .sample(3))
            func makeTail(_ query: DeliveryQuery = .init(), scope: DeliveryScope = .all) -> DeliveryTail {
                DeliveryTail(client: log.client, options: log.options, scope: scope, query: query)
            }
            let second = makeTail()
            #expect(second.resume(from: position))
            #expect(try read(second, 2).records.map(\.id?.low) == [2, 3])
            #expect(!makeTail(DeliveryQuery(client: "acme")).resume(from: position))
            #expect(!makeTail(scope: .clients(["acme"])).resume(from: position))
            for text in ["", ".", "a.b.c", position + "x", "\(position.prefix { $0 != "." })."] {
                #expect(!makeTail().resume(from: text), "\(text)")
            }
        }
    }

    @Test func aTailThatHasEnoughEndsBehindTheLastOfThem() throws {
        try TestStore.withLog { log in
            let first = try tail(log)
            try log.writer.write((1...50).map { LogEntry(record: .sample($0)) })
            var shown: [UInt64] = []
            let deadline = ContinuousClock.now + .seconds(10)
            while shown.count < 3, .now < deadline {
                let batch = try first.next(showing: 3 - shown.count, isLast: true, within: .seconds(1))
                shown += batch.records.compactMap(\.id?.low)
                #expect(batch.matched == batch.records.count)
            }
            let second = DeliveryTail(client: log.client, options: log.options, scope: .all, query: .init())
            #expect(second.resume(from: try #require(first.position)))
            let rest = try read(second, 47).records.compactMap(\.id?.low)
            #expect(shown + rest == Array(1...50))
        }
    }

    /// More than somebody can read: some are shown, all are counted.
    @Test func whatIsNotShownIsCounted() throws {
        try TestStore.withLog { log in
            let tail = try tail(log)
            try log.writer.write((1...50).map { LogEntry(record: .sample($0)) })
            var shown = 0
            var matched = 0
            let deadline = ContinuousClock.now + .seconds(10)
            while matched < 50, .now < deadline {
                let batch = try tail.next(showing: 3, within: .seconds(1))
                #expect(batch.records.count <= 3)
                shown += batch.records.count
                matched += batch.matched
            }
            #expect(matched == 50)
            #expect(shown < 50)
        }
    }

    /// A place that the store's history does not have is told, and the tail goes on from now.
    @Test func aGapIsTold() throws {
        try TestStore.withLog { log in
            let watch = log.collection.watch([])
            _ = try watch.next()
            try log.write(.sample(1))
            var change: BSONDocument?
            let deadline = ContinuousClock.now + .seconds(20)
            while change == nil, .now < deadline { change = try watch.next() }
            let token = try #require(change?["_id"]?.document?["_data"]?.string)
            // The change of a record that there never was.
            let forged = token.replacing("0000000000000001", with: "0000000000000099")
            #expect(forged != token)
            let fingerprint = try #require(try tail(log).position).prefix { $0 != "." }
            let tail = DeliveryTail(client: log.client, options: log.options, scope: .all, query: .init())
            #expect(tail.resume(from: "\(fingerprint).\(forged)"))
            // The store notices when it comes to the first change behind that place.
            try log.write(.sample(2))
            var hasGap = false
            while !hasGap, .now < deadline { hasGap = try tail.next(showing: 1, within: .seconds(1)).hasGap }
            #expect(hasGap)
            _ = try tail.next(showing: 1, within: .zero)
            try log.write(.sample(3))
            let batch = try read(tail, 1)
            #expect(batch.records.map(\.id?.low) == [3])
            #expect(!batch.hasGap)
        }
    }
}
