import Testing
import WaybillCore
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog
@testable import WaybillMongo

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryLogWriterTests {
    /// A deferred record of a pass that sent nothing.
    private static let unknown = LogEntry.Predecessor(attempts: 0, isRepeat: false)

    private func entries(_ numbers: Range<Int>, outcome: Outcome = .accepted, replacing: Bool = false) -> [LogEntry] {
        numbers.map { LogEntry(record: .sample($0, outcome: outcome), predecessor: replacing ? Self.unknown : nil) }
    }

    @Test func newRecordsAreWritten() throws {
        try TestStore.withLog { log in
            let result = try log.writer.write(entries(0..<2_500))
            #expect(result.counts == LogWriteResult(written: 2_500, alreadyRecorded: 0))
            #expect(try log.collection.countDocuments(.empty) == 2_500)
        }
    }

    @Test func theSameEntriesAgainChangeNothing() throws {
        try TestStore.withLog { log in
            let all = entries(0..<20) + entries(20..<40, outcome: .deferred) + entries(40..<60, replacing: true)
            #expect(try log.writer.write(all).written == 60)
            let before = try log.collection.find(.empty).all()
            let again = try log.writer.write(
                all.map { LogEntry(record: $0.record, predecessor: $0.predecessor, mayBeWritten: true) }
            )
            #expect(again.counts == LogWriteResult(written: 0, alreadyRecorded: 60))
            #expect(try log.collection.find(.empty).all() == before)
        }
    }

    @Test func whatIsRecordedAlreadyDoesNotKeepTheRestOut() throws {
        try TestStore.withLog { log in
            try log.writer.write(entries(0..<10))
            let result = try log.writer.write(entries(5..<15))
            #expect(result.met == Array(0..<5))
            #expect(result.counts == LogWriteResult(written: 5, alreadyRecorded: 5))
            #expect(try log.collection.countDocuments(.empty) == 15)
        }
    }

    @Test func aDeferredRecordGivesWayToALaterOne() throws {
        try TestStore.withLog { log in
            try log.write(.sample(outcome: .deferred, attempts: 1))
            for (outcome, attempts) in [(Outcome.deferred, 2), (.accepted, 3)] {
                let later = DeliveryRecord.sample(outcome: outcome, attempts: attempts)
                let known = LogEntry.Predecessor(attempts: attempts - 1, isRepeat: false)
                let result = try log.writer.write([LogEntry(record: later, predecessor: known)])
                #expect(result.counts == LogWriteResult(written: 1, alreadyRecorded: 0))
                #expect(try log.stored(later)?["attempts"] == .int(Int64(attempts)))
            }
            #expect(try log.stored(.sample())?["outcome"] == .string("accepted"))
            #expect(try log.stored(.sample())?["repeat"] == nil)
        }
    }

    /// A deferred record, what a pass knew of it when it began, and whether somebody else has sent it meanwhile.
    @Test(
        arguments: [
            (stored: (1, false), known: (1, false), isAnothers: false),
            (stored: (1, true), known: (1, true), isAnothers: false),
            (stored: (2, false), known: (1, false), isAnothers: true),
            (stored: (1, true), known: (1, false), isAnothers: true),
            (stored: (1, false), known: (0, false), isAnothers: true),
            (stored: (2, true), known: (1, true), isAnothers: true),
        ] as [(stored: (Int, Bool), known: (Int, Bool), isAnothers: Bool)]
    )
    func aDeferredRecordOfAnothersIsReplacedAndTheNewOneMarked(
        stored: (Int, Bool),
        known: (Int, Bool),
        isAnothers: Bool
    ) throws {
        try TestStore.withLog { log in
            for (number, outcome) in [Outcome.accepted, .deferred, .expired].enumerated() {
                var first = DeliveryRecord.sample(number, outcome: .deferred, date: 1, attempts: stored.0)
                first.isRepeat = stored.1
                try log.write(first)
                // In the same millisecond, which two dispatchers may well share.
                var second = DeliveryRecord.sample(number, outcome: outcome, date: 1, attempts: known.0 + 1)
                second.isRepeat = known.1
                let known = LogEntry.Predecessor(attempts: known.0, isRepeat: known.1)
                let result = try log.writer.write([LogEntry(record: second, predecessor: known)])
                #expect(result.counts == LogWriteResult(written: 1, alreadyRecorded: 0))
                let found = try log.stored(second)
                #expect(found?["outcome"] == .string(outcome.rawValue))
                // What the other one has sent counts as well.
                let attempts = isAnothers ? stored.0 : second.attempts
                #expect(found?["attempts"] == .int(Int64(attempts)))
                #expect(found?["repeat"] == (isAnothers || second.isRepeat ? .bool(true) : nil))
            }
        }
    }

    @Test func aSecondTryFindsWhatTheFirstOneWroteAndDoesNotMarkIt() throws {
        try TestStore.withLog { log in
            try log.write(.sample(outcome: .deferred, date: 1, attempts: 1))
            let later = DeliveryRecord.sample(outcome: .deferred, date: 2, attempts: 2)
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            try log.writer.write([LogEntry(record: later, predecessor: known)])
            let again = LogEntry(record: later, predecessor: known, mayBeWritten: true)
            #expect(try log.writer.write([again]).counts == LogWriteResult(written: 0, alreadyRecorded: 1))
            #expect(try log.stored(later)?["repeat"] == nil)

            // Another's has come in between: that one gives way.
            try log.write(.sample(2, outcome: .deferred, date: 3, attempts: 2))
            var other = again
            other.record = .sample(2, outcome: .deferred, date: 2, attempts: 2)
            #expect(try log.writer.write([other]).counts == LogWriteResult(written: 1, alreadyRecorded: 0))
            #expect(try log.stored(other.record)?["repeat"] == .bool(true))
            #expect(try log.stored(other.record)?["date"] == .date(2))
        }
    }

    /// What is met in a full bulk is settled while the next bulk's first entry is at hand.
    @Test(arguments: [false, true])
    func manyRecordsOfOthersAmongMoreThanOneBulk(isSecondTry: Bool) throws {
        try TestStore.withLog { log in
            try log.writer.write(
                (0..<1_500).map {
                    LogEntry(record: .sample($0, outcome: $0 % 3 == 0 ? .deferred : .accepted, date: 1, attempts: 2))
                }
            )
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            let entries = (0..<2_500).map { number in
                var record = DeliveryRecord.sample(number, outcome: .accepted, date: 2, attempts: 2)
                record.isRepeat = number % 2 == 0
                return LogEntry(record: record, predecessor: known, mayBeWritten: isSecondTry)
            }
            let result = try log.writer.write(entries)
            #expect(result.counts == LogWriteResult(written: 1_500, alreadyRecorded: 1_000))
            for number in [0, 3, 999, 1_000, 1_001, 1_002, 1_499, 1_500, 2_499] {
                let found = try log.stored(.sample(number))
                #expect(found?["outcome"] == .string("accepted"))
                let isOthers = number < 1_500 && number % 3 != 0
                #expect(found?["date"] == .date(isOthers ? 1 : 2), "\(number)")
                let isMarked = number % 2 == 0 || number < 1_500 && !isOthers
                #expect(found?["repeat"] == (isMarked ? .bool(true) : nil), "\(number)")
            }
            #expect(try log.writer.write(entries).written == 0)
        }
    }

    /// Another dispatcher had the message, after our connection was lost, and put it off before our answer came.
    @Test func anOutcomeAtFirstSightTakesThePlaceOfAnothersDeferredRecord() throws {
        try TestStore.withLog { log in
            try log.write(.sample(outcome: .deferred, date: 1, attempts: 1))
            let result = try log.writer.write([LogEntry(record: .sample(outcome: .accepted, date: 2))])
            #expect(result.counts == LogWriteResult(written: 1, alreadyRecorded: 0))
            #expect(try log.stored(.sample())?["outcome"] == .string("accepted"))
            #expect(try log.stored(.sample())?["repeat"] == .bool(true))
        }
    }

    @Test func oneNotificationTwiceInOneWriteIsMarked() throws {
        try TestStore.withLog { log in
            try log.write(.sample(outcome: .deferred, date: 1, attempts: 1))
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            try log.writer.write([
                LogEntry(record: .sample(outcome: .deferred, date: 2, attempts: 2), predecessor: known),
                LogEntry(record: .sample(outcome: .accepted, date: 2, attempts: 2), predecessor: known),
            ])
            let found = try log.stored(.sample())
            #expect(found?["outcome"] == .string("accepted"))
            #expect(found?["repeat"] == .bool(true))
        }
    }

    /// Whose record is met under an id, by what differs; `nil` is no fingerprint.
    @Test(
        arguments: [
            (token: "00aa11bb", fingerprint: nil, isOwn: true), (token: "00aa11bc", fingerprint: nil, isOwn: false),
            (token: "00aa11bb", fingerprint: 7, isOwn: false), (token: nil, fingerprint: nil, isOwn: false),
        ] as [(token: String?, fingerprint: UInt64?, isOwn: Bool)],
        [true, false]
    )
    func theRecordOfAnotherNotificationIsNotTouched(
        found: (token: String?, fingerprint: UInt64?, isOwn: Bool),
        isDigest: Bool
    ) throws {
        let key = [UInt8](repeating: 1, count: 32)
        try TestStore.withLog(tokens: isDigest ? .digest(key: key) : .plain) { log in
            for (number, outcome) in [Outcome.accepted, .deferred].enumerated() {
                var first = DeliveryRecord.sample(number, outcome: outcome, date: 1)
                first.deviceToken = found.token.map { Array($0.utf8)[...] }
                first.fingerprint = found.fingerprint
                try log.write(first)
                let before = try log.stored(first)
                var second = DeliveryRecord.sample(number, outcome: .accepted, date: 2)
                second.isRepeat = true
                let predecessors = [nil, Self.unknown, .init(attempts: 1, isRepeat: false)]
                for predecessor in predecessors where !found.isOwn {
                    let result = try log.writer.write([
                        LogEntry(record: second, predecessor: predecessor, wasPushed: true)
                    ])
                    #expect(result.counts == LogWriteResult(written: 0, alreadyRecorded: 1))
                    #expect(result.met == [0])
                    #expect(try log.stored(first) == before)
                }
                guard found.isOwn else { continue }
                try log.writer.write([LogEntry(record: second, wasPushed: true)])
                #expect(try log.stored(first)?["repeat"] == .bool(true))
                #expect(try log.stored(first)?["outcome"] == .string("accepted"))
            }
        }
    }

    /// The operator has changed `log.tokens` while a notification was put off.
    @Test(arguments: [true, false])
    func aDeferredRecordWithAPlainTokenGivesWayInALogOfDigests(isRecalled: Bool) throws {
        try TestStore.withLog(tokens: .digest(key: [UInt8](repeating: 1, count: 32))) { log in
            let plain = DeliveryLogWriter(
                client: log.client,
                options: DeliveryLogOptions(database: log.options.database, retention: .init(default: .keep))
            )
            try plain.write([LogEntry(record: .sample(outcome: .deferred, date: 1))])
            let found = try #require(try log.reader.recorded([DeliveryRecord.sample().id]).values.first)
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false, deviceToken: found.deviceToken)
            let later = LogEntry(record: .sample(date: 2), predecessor: isRecalled ? known : nil)
            #expect(try log.writer.write([later]).counts == LogWriteResult(written: 1, alreadyRecorded: 0))
            #expect(try log.stored(.sample())?["outcome"] == .string("accepted"))
            #expect(try log.stored(.sample())?["repeat"] == (isRecalled ? nil : .bool(true)))
            #expect(try log.stored(.sample())?["device_token"] != .string("00aa11bb"))
        }
    }

    @Test func aFinalRecordIsNeverChanged() throws {
        try TestStore.withLog { log in
            var number = 0
            for final in Outcome.allCases where final.isFinal {
                for later in Outcome.allCases {
                    number += 1
                    let first = DeliveryRecord.sample(number, outcome: final, date: 1)
                    try log.write(first)
                    for replacing in [false, true] {
                        let second = DeliveryRecord.sample(number, outcome: later, date: 2)
                        let entry = LogEntry(record: second, predecessor: replacing ? Self.unknown : nil)
                        let result = try log.writer.write([entry])
                        #expect(
                            result.counts == LogWriteResult(written: 0, alreadyRecorded: 1),
                            "\(final), then \(later)"
                        )
                    }
                    #expect(try log.stored(first)?["outcome"] == .string(final.rawValue))
                    #expect(try log.stored(first)?["date"] == .date(1))
                }
            }
            #expect(number == 72)
        }
    }

    /// Another dispatcher had the message, and did not know that its batch was cancelled.
    @Test(arguments: [(false, "cancelled"), (true, "accepted")])
    func whatBecameOfAPushStandsAboveACancellation(wasPushed: Bool, outcome: String) throws {
        try TestStore.withLog { log in
            try log.write(.sample(outcome: .cancelled))
            let result = try log.writer.write([LogEntry(record: .sample(outcome: .accepted), wasPushed: wasPushed)])
            #expect(result.overruled == (wasPushed ? 1 : 0))
            #expect(try log.stored(.sample())?["outcome"] == .string(outcome))
            let late = try log.writer.write([LogEntry(record: .sample(outcome: .cancelled), wasPushed: true)])
            #expect(late.overruled == 0)
            #expect(try log.stored(.sample())?["outcome"] == .string(outcome))
        }
    }

    @Test(arguments: [false, true])
    func aRepeatThatComesSecondMarksTheFirst(isBehindOthers: Bool) throws {
        try TestStore.withLog { log in
            let others = isBehindOthers ? entries(10..<400) + entries(400..<1_500, replacing: true) : []
            try log.writer.write(entries(0..<3))
            var second = DeliveryRecord.sample(1, date: 2)
            second.isRepeat = true
            let result = try log.writer.write(others + [LogEntry(record: second, predecessor: Self.unknown)])
            #expect(result.counts == LogWriteResult(written: others.count, alreadyRecorded: 1))
            #expect(try log.stored(second)?["repeat"] == .bool(true))
            #expect(try log.stored(second)?["date"] == log.stored(.sample(0))?["date"])
            for neighbour in [0, 2] { #expect(try log.stored(.sample(neighbour))?["repeat"] == nil) }
        }
    }

    @Test(arguments: [false, true])
    func aRetryThatFindsItselfRecordedMarksWhatItsCopyHasWritten(wasPushed: Bool) throws {
        try TestStore.withLog { log in
            try log.writer.write(entries(0..<2))
            let copy = LogEntry(record: .sample(1, date: 2), predecessor: Self.unknown, wasPushed: wasPushed)
            let result = try log.writer.write([copy])
            #expect(result.counts == LogWriteResult(written: 0, alreadyRecorded: 1))
            #expect(try log.stored(copy.record)?["repeat"] == (wasPushed ? .bool(true) : nil))
            #expect(try log.stored(.sample(0))?["repeat"] == nil)
        }
    }

    /// Two dispatchers have pushed the same notification: the statuses of the first one's pushes, 0 for no answer, and whether
    /// its record is final.
    @Test(arguments: [([200], true), ([503, 200], true), ([503], false), ([503, 0], false)], [false, true])
    func thePushesOfBothDispatchersCount(_ first: ([Int], Bool), isTriedAgain: Bool) throws {
        func attempts(_ statuses: [Int], from date: Int64) -> [AttemptRecord] {
            statuses.enumerated().map { place, status in
                AttemptRecord(date: date + Int64(place), status: status == 0 ? nil : status, reason: "word")
            }
        }
        func record(_ attempts: [AttemptRecord], _ outcome: Outcome) throws -> DeliveryRecord {
            let last = try #require(attempts.last)
            var record = DeliveryRecord.sample(outcome: outcome, date: last.date, attempts: attempts.count)
            record.statusCode = last.status
            record.reason = last.reason
            record.history = attempts.count > 1 ? attempts : []
            return record
        }
        try TestStore.withLog { log in
            let theirs = attempts(first.0, from: 10)
            let ours = attempts([0, 200], from: 20)
            try log.write(try record(theirs, first.1 ? .accepted : .deferred))
            let entry = LogEntry(record: try record(ours, .accepted), wasPushed: true)
            try log.writer.write([entry])
            if isTriedAgain {
                let again = LogEntry(record: entry.record, predecessor: nil, wasPushed: true, mayBeWritten: true)
                try log.writer.write([again])
            }
            let found = try #require(try log.reader.recorded([entry.record.id]).values.first)
            #expect(found.outcome == .accepted)
            #expect(found.isRepeat)
            #expect(found.attempts == theirs.count + ours.count)
            #expect(found.history == theirs + ours)
        }
    }

    @Test func largeRecordsAreSplitByBytes() throws {
        try TestStore.withLog { log in
            // 40 MiB: libmongoc alone would take it for one bulk.
            let message = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)[...]
            let large = (0..<40).map { number in
                var record = DeliveryRecord.sample(number)
                record.message = message
                return LogEntry(record: record)
            }
            let result = try log.writer.write(large)
            #expect(result.written == 40)
            #expect(try log.collection.countDocuments(.empty) == 40)
        }
    }

    @Test func nulAndEveryPlaneOfUnicodeComeBackUnchanged() throws {
        try TestStore.withLog { log in
            var record = DeliveryRecord.sample()
            record.message = Array("a\u{0}\u{0}b \u{7f} é \u{2028} 🚚".utf8)[...]
            record.batchID = "b\u{0}1"
            try log.write(record)
            let stored = try #require(try log.stored(record))
            #expect(stored["message"] == .string("a\u{0}\u{0}b \u{7f} é \u{2028} 🚚"))
            #expect(stored["batch_id"] == .string("b\u{0}1"))
        }
    }

    @Test func anotherUniqueIndexRefusesOneRecordAndNotItsNeighbours() throws {
        try TestStore.withLog { log in
            _ = try log.collection.ensureIndexes([
                MongoIndex(name: "operators_own", keys: [.ascending("device_token")], isUnique: true)
            ])
            try log.write(.sample(1))
            let neighbours = (10..<30).map { LogEntry(record: .sample($0, token: "aa\($0)")) }
            for predecessor in [nil, Self.unknown] {
                let copy = LogEntry(record: .sample(2), predecessor: predecessor)
                let result = try log.writer.write(neighbours + [copy])
                #expect(result.refused.map(\.position) == [20])
                #expect(result.refused.first?.reason.contains("operators_own") == true)
                #expect(result.refused.first?.reason.contains("00aa11bb") == false)
                #expect(result.written + result.alreadyRecorded == 20)
            }
            #expect(try log.collection.countDocuments(.empty) == 21)
        }
    }

    /// A validator of the operator's: refuses inserts, replacements and marks, one by one.
    @Test func aValidatorRefusesOneRecordAndNotItsNeighbours() throws {
        try TestStore.withLog { log in
            try log.write(.sample(1, outcome: .deferred), .sample(2), .sample(3, outcome: .deferred), .sample(4))
            try forbid("refused", in: log)
            func entry(_ number: Int, client: String? = nil, predecessor: LogEntry.Predecessor? = nil) -> LogEntry {
                LogEntry(
                    record: .sample(number, date: 2, client: client, attempts: 2),
                    predecessor: predecessor,
                    wasPushed: true
                )
            }
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            let result = try log.writer.write([
                entry(1, client: "refused", predecessor: known), entry(2), entry(3, client: "refused"),
                entry(5, client: "refused"), entry(6), entry(7, client: "fine"),
            ])
            #expect(result.refused.map(\.position).sorted() == [0, 2, 3])
            #expect(result.refused.allSatisfy { $0.reason.contains("validation") && $0.reason.contains("121") })
            #expect(result.written == 2)
            #expect(result.met == [1])
            #expect(try log.stored(.sample(1))?["outcome"] == .string("deferred"))
            #expect(try log.stored(.sample(2))?["repeat"] == .bool(true))
            #expect(try log.stored(.sample(6)) != nil)
        }
    }

    /// A mark that a validator refuses is no reason to stand still: the record is there.
    @Test func aRefusedMarkIsCounted() throws {
        try TestStore.withLog { log in
            try log.write(.sample(1, client: "refused"))
            try forbid("refused", in: log)
            let copy = LogEntry(record: .sample(1, date: 2), wasPushed: true)
            let result = try log.writer.write([copy])
            #expect(result.unmarked == 1)
            #expect(result.refused.isEmpty)
            #expect(result.met == [0])
        }
    }

    /// The operator's rule: no record of this client.
    private func forbid(_ client: String, in log: TestLog) throws {
        try TestDatabase.require(in: Deliveries.collection, of: log.options.database, log.client) { rule in
            rule.append("client") { $0.append("$ne", string: client) }
        }
    }

    @Test func aRecordWithoutItsMajorityIsNotDurableUntilItHasOne() throws {
        try TestStore.withLog { log in
            let hello = try log.client.command(database: "admin", BSONDocument { $0.append("hello", int: 1) })
            try #require(hello["hosts"]?.elements?.count == 1, "asks a one-member replica set for two members")
            let unsure = DeliveryLogWriter(
                collection: MongoCollection(
                    client: log.client,
                    database: log.options.database,
                    name: Deliveries.collection,
                    durability: .init(members: 2, milliseconds: 1)
                ),
                options: log.options
            )
            for _ in 0..<2 {
                let error = #expect(throws: MongoError.self) { try unsure.write(entries(0..<3)) }
                #expect(error?.code == .notDurable)
                #expect(error?.isRetriable == true)
            }
            #expect(try log.writer.write(entries(0..<3)).counts == LogWriteResult(written: 0, alreadyRecorded: 3))
        }
    }

    @Test func aStoreThatIsNotThereIsAnErrorWithinItsTime() throws {
        let pool = try MongoPool(url: "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200", applicationName: "test")
        let client = try pool.pop()
        let options = DeliveryLogOptions(database: "test", retention: .init(default: .keep))
        let writer = DeliveryLogWriter(client: client, options: options)
        let error = #expect(throws: MongoError.self) { try writer.write(entries(0..<3)) }
        #expect(error?.code == .unreachable)
        #expect(error?.isRetriable == true)
    }

    @Test func nothingToWriteIsDone() throws {
        try TestStore.withLog { log in
            let result = try log.writer.write([])
            #expect(result.counts == LogWriteResult())
        }
    }
}

extension LogWriteResult {
    /// Without the positions.
    fileprivate var counts: LogWriteResult { LogWriteResult(written: written, alreadyRecorded: alreadyRecorded) }
}
