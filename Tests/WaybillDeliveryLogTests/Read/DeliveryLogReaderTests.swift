import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryLogReaderTests {
    private static let day: Int64 = 1_790_000_000_000

    /// Six records that differ in one respect each, newest last.
    private static let records: [DeliveryRecord] = [
        .sample(1, date: day + 1),
        .sample(2, token: "ffee", date: day + 2),
        .sample(3, date: day + 3, batch: "other"),
        .sample(4, date: day + 4, client: "acme"),
        .sample(5, outcome: .rejected, reason: "BadTopic", date: day + 5),
        .sample(6, outcome: .tokenInvalid, reason: "Unregistered", date: day + 6, lane: "second"),
    ]

    private struct Case {
        let name: String
        let query: DeliveryQuery
        let expected: [UInt64]

        init(_ name: String, _ query: DeliveryQuery, _ expected: [UInt64]) {
            self.name = name
            self.query = query
            self.expected = expected
        }
    }

    private static let cases: [Case] = [
        Case("everything", DeliveryQuery(), [6, 5, 4, 3, 2, 1]),
        Case("token", DeliveryQuery(deviceToken: Array("ffee".utf8)[...]), [2]),
        Case("batch", DeliveryQuery(batch: BatchName("other")), [3]),
        Case("apns-id", DeliveryQuery(id: NotificationID(high: 7, low: 4)), [4]),
        Case("client", DeliveryQuery(client: "acme"), [4]),
        Case("outcome", DeliveryQuery(outcomes: [.rejected]), [5]),
        Case("outcomes", DeliveryQuery(outcomes: [.rejected, .tokenInvalid]), [6, 5]),
        Case("reason", DeliveryQuery(reason: "Unregistered"), [6]),
        Case("lane", DeliveryQuery(lane: "second"), [6]),
        Case("since, included", DeliveryQuery(since: day + 5), [6, 5]),
        Case("until, excluded", DeliveryQuery(until: day + 3), [2, 1]),
        Case("since and until", DeliveryQuery(since: day + 2, until: day + 4), [3, 2]),
        Case("limit", DeliveryQuery(limit: 2), [6, 5]),
        Case(
            "conditions add up",
            DeliveryQuery(batch: BatchName("batch"), outcomes: [.accepted], since: day + 2),
            [4, 2]
        ),
        Case("nothing", DeliveryQuery(batch: BatchName("batch"), client: "nobody"), []),
    ]

    @Test func aQueryFindsWhatItAsksForNewestFirst() throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            try log.writer.write(Self.records.map { LogEntry(record: $0) })
            for test in Self.cases {
                let found = try log.reader.query(test.query).all()
                #expect(found.compactMap(\.id?.low) == test.expected, "\(test.name)")
            }
        }
    }

    /// What `waybill send` makes of one name, and names that only look like it.
    @Test(
        arguments: [
            ("c", true, ["c", "c.1", "c.12"]), ("c", false, ["c"]), ("c.1", true, ["c.1", "c.1.7"]),
            ("c.b", true, ["c.b", "c.b.3"]),
            ("x+*[ü", true, ["x+*[ü", "x+*[ü.4"]), ("nothing", true, []),
        ] as [(String, Bool, [String])]
    )
    func aBatchIsFoundWithItsParts(name: String, includesParts: Bool, expected: [String]) throws {
        let names = [
            "c", "c.1", "c.12", "c.1.7", "c.b", "c.b.3", "c.", "c.1\n", "c/1", "cx1", "cc.1", "C.1", "x+*[ü", "x+*[ü.4",
            "xx[ü.4",
        ]
        try TestStore.withLog { log in
            try log.writer.write(names.enumerated().map { LogEntry(record: .sample($0, batch: $1)) })
            let found = try log.reader.query(DeliveryQuery(batch: BatchName(name, includesParts: includesParts))).all()
            #expect(found.compactMap(\.batchID).sorted() == expected.sorted())
        }
    }

    /// Of what is under way nobody knows when it ends: the last time is the last that an id has room for.
    @Test(
        arguments: [
            (0...((1 << 48) - 1), 2), (0...Int64.max, 2), (0...5, 0), (1_790_000_000_000...1_790_000_000_000, 1),
            (1_790_000_000_001...((1 << 48) - 1), 1), (Int64.min...1_790_000_000_001, 2),
        ] as [(ClosedRange<Int64>, Int)]
    )
    func recordsAreCountedByTheTimesOfTheirMessages(times: ClosedRange<Int64>, count: Int) throws {
        try TestStore.withLog { log in
            for time in [1_790_000_000_000, 1_790_000_000_001] as [UInt64] {
                var record = DeliveryRecord.sample()
                record.id = NotificationID(high: time << 16 | 0xFFFF, low: .max)
                try log.write(record)
            }
            let batch = DeliveryQuery(batch: BatchName("batch", includesParts: false))
            let found = try log.reader.counts(batch, ofMessagesFrom: times)
            #expect(found.reduce(0) { $0 + $1.count } == count)
        }
    }

    @Test func aDocumentIsReadBackWhole() throws {
        try TestStore.withLog(retention: .init(default: .days(1))) { log in
            var record = DeliveryRecord.sample(outcome: .unknown, reason: "timeout", client: "acme")
            record.latencyMilliseconds = 1.5
            record.invalidSince = 9
            record.isRepeat = true
            record.position = 3
            record.history = [AttemptRecord(date: 5, status: 503, reason: "Shutdown")]
            try log.write(record)
            let found = try #require(try log.reader.query(DeliveryQuery(id: record.id)).next())
            #expect(found.id == record.id)
            #expect(found.deviceToken == "00aa11bb")
            #expect(found.outcome == "unknown")
            #expect(found.statusCode == 400)
            #expect(found.reason == "timeout")
            #expect(found.message == "Hello")
            #expect(found.date == record.date)
            #expect(found.expiresAt == record.date + 86_400_000)
            #expect(found.batchID == "batch")
            #expect(found.position == 3)
            #expect(found.client == "acme")
            #expect(found.lane == "parcels")
            #expect(found.topic == "com.example.app")
            #expect(found.attempts == 1)
            #expect(found.latencyMilliseconds == 1.5)
            #expect(found.invalidSince == 9)
            #expect(found.isRepeat)
            #expect(found.history == record.history)
        }
    }

    @Test func aTokenIsFoundByItsDigest() throws {
        try TestStore.withLog(tokens: .digest(key: Array("pepper".utf8))) { log in
            try log.write(.sample(1), .sample(2, token: "ffee"))
            let found = try log.reader.query(DeliveryQuery(deviceToken: Array("ffee".utf8)[...])).all()
            #expect(found.map(\.id?.low) == [2])
            #expect(found.first?.deviceToken?.utf8.count == 64)
            #expect(found.first?.deviceToken?.contains("ffee") == false)
        }
    }

    @Test(
        arguments: [
            (DeliveryLogOptions.Tokens.plain, "00aa11bb"),
            (.digest(key: Array("a key of thirty-two bytes or so..".utf8)), nil),
        ] as [(DeliveryLogOptions.Tokens, String?)]
    )
    func aRecordIsOfOneToken(tokens: DeliveryLogOptions.Tokens, stored: String?) throws {
        try TestStore.withLog(tokens: tokens) { log in
            try log.write(.sample())
            let found = try #require(try log.reader.recorded([NotificationID(high: 7, low: 1)]).values.first)
            if let stored { #expect(found.deviceToken == stored) }
            #expect(log.reader.isRecord(found, of: Array("00aa11bb".utf8)[...], fingerprint: nil))
            #expect(!log.reader.isRecord(found, of: Array("00aa11bc".utf8)[...], fingerprint: nil))
            #expect(!log.reader.isRecord(found, of: Array("00aa11bb".utf8)[...], fingerprint: 7))
            #expect(log.reader.isRecord(found, of: nil, fingerprint: nil))
        }
    }

    @Test func aRecordIsOfOneContentWhereItsProducerGaveTheID() throws {
        try TestStore.withLog { log in
            var record = DeliveryRecord.sample()
            record.fingerprint = 0xAB
            try log.write(record)
            let found = try #require(try log.reader.recorded([record.id]).values.first)
            #expect(found.fingerprint == "00000000000000ab")
            for (fingerprint, isOwn) in [(0xAB, true), (0xAC, false), (nil, false)] as [(UInt64?, Bool)] {
                #expect(log.reader.isRecord(found, of: record.deviceToken, fingerprint: fingerprint) == isOwn)
            }
        }
    }

    private static func event(_ number: UInt64, _ token: String) -> InvalidTokenEvent {
        InvalidTokenEvent(
            deviceToken: token,
            reason: "Unregistered",
            statusCode: 410,
            invalidSince: nil,
            observedAt: 0,
            notificationID: NotificationID(high: 7, low: number),
            batchID: "b",
            client: nil,
            lane: "l",
            topic: "t",
            environment: .production,
            verdict: .dead
        )
    }

    /// Two notifications have one id of their producers: the record of one has another key, and the given id beside it.
    @Test func eachRefusalOfTwoNotificationsWithOneGivenIDIsFound() throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            var second = DeliveryRecord.sample(2, outcome: .tokenInvalid, token: "ffee")
            second.givenID = NotificationID(high: 7, low: 1)
            try log.write(.sample(1, outcome: .tokenInvalid, token: "00aa"), second)
            let events = ["ffee", "00aa", "bbbb"].map { Self.event(1, $0) }
            #expect(try log.reader.refusals(of: events).map { $0?.isOfToken } == [true, true, false])
            for (event, isOfToken) in zip(events, [true, true, false]) {
                #expect(try log.reader.refusals(of: [event]).first??.isOfToken == isOfToken)
            }
        }
    }

    /// The record that has a notification's id is another's, and its own is under the spare one.
    @Test func theRefusalOfANotificationUnderAnotherIDIsFound() throws {
        try TestStore.withLog { log in
            var spare = DeliveryRecord.sample(2, outcome: .tokenInvalid, token: "ffee")
            spare.id = MessageIdentity.spareID(of: NotificationID(high: 7, low: 1))
            try log.write(.sample(1, token: "00aa"), spare, .sample(3, outcome: .tokenInvalid, token: "ffee"))
            func isOfToken(_ number: UInt64, _ token: String) throws -> Bool? {
                try log.reader.refusals(of: [Self.event(number, token)]).first??.isOfToken
            }
            #expect(try isOfToken(1, "ffee") == true)
            #expect(try isOfToken(1, "00aa") == true)
            #expect(try isOfToken(1, "bbbb") == false)
            #expect(try isOfToken(3, "ffee") == true)
            #expect(try isOfToken(9, "ffee") == nil)
        }
    }

    /// A record that could not have its id as its key is found by it all the same.
    @Test func aGivenIDIsFoundWhereverItIs() throws {
        try TestStore.withLog { log in
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            let given = NotificationID(high: 7, low: 1)
            var second = DeliveryRecord.sample(2, outcome: .invalid, reason: "why", date: Self.day)
            second.givenID = given
            try log.write(.sample(1, date: Self.day + 1), second, .sample(3))
            let found = try log.reader.query(DeliveryQuery(id: given)).all()
            #expect(found.compactMap(\.id?.low) == [1, 2])
        }
    }

    @Test func aRangeOfIDs() throws {
        try TestStore.withLog { log in
            try log.writer.write((1...30).map { LogEntry(record: .sample($0)) })
            func lows(_ first: UInt64, _ last: UInt64) throws -> [UInt64] {
                try log.reader.recorded(
                    from: NotificationID(high: 7, low: first),
                    through: NotificationID(high: 7, low: last),
                    count: 30
                ).keys.map(\.low).sorted()
            }
            #expect(try lows(3, 5) == [3, 4, 5])
            #expect(try lows(30, 99) == [30])
            #expect(try lows(31, 99).isEmpty)
            #expect(try lows(1, 30) == Array(1...30))
        }
    }

    @Test func recordedAnswersForTheIDsThatHaveARecord() throws {
        try TestStore.withLog { log in
            var deferred = DeliveryRecord.sample(2, outcome: .deferred, reason: "Shutdown", attempts: 2)
            deferred.history = [AttemptRecord(date: 5, status: 503, reason: "Shutdown")]
            deferred.isRepeat = true
            deferred.next = PlannedPass(number: 3, due: 1_790_000_005_000)
            try log.write(.sample(1), deferred)
            let found = try log.reader.recorded((1...300).map { NotificationID(high: 7, low: $0) })
            #expect(found.count == 2)
            #expect(found[NotificationID(high: 7, low: 1)]?.outcome == .accepted)
            #expect(
                found[NotificationID(high: 7, low: 2)]
                    == RecordedDelivery(
                        outcome: .deferred,
                        attempts: 2,
                        statusCode: 400,
                        reason: "Shutdown",
                        date: deferred.date,
                        topic: "com.example.app",
                        deviceToken: "00aa11bb",
                        history: deferred.history,
                        isRepeat: true,
                        next: deferred.next
                    )
            )
            #expect(found[NotificationID(high: 7, low: 2)]?.firstPush == 5)
            #expect(try log.reader.recorded([]).isEmpty)
        }
    }

    @Test func anOutcomeOfANewerReleaseIsFinal() throws {
        try TestStore.withLog { log in
            let bulk = log.collection.bulk()
            let document = BSONWriter()
            document.append("_id", uuid: 7, 1)
            document.append("outcome", string: "delivered_by_pigeon")
            try bulk.insert(document)
            _ = bulk.execute()
            #expect(try log.reader.recorded([NotificationID(high: 7, low: 1)]).values.map(\.outcome.isFinal) == [true])
        }
    }

    @Test func countsAreByOutcomeInTheOrderOfTheSchema() throws {
        try TestStore.withLog { log in
            try log.writer.write(Self.records.map { LogEntry(record: $0) })
            let all = try log.reader.counts(DeliveryQuery(limit: 1))
            #expect(all.map(\.outcome) == ["accepted", "rejected", "token_invalid"])
            #expect(all.map(\.count) == [4, 1, 1])
            #expect(try log.reader.counts(DeliveryQuery(batch: BatchName("other"))).map(\.count) == [1])
            #expect(try log.reader.counts(DeliveryQuery(batch: BatchName("nothing"))).isEmpty)
        }
    }
}
