import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryGroupsTests {
    private static let begin: Int64 = 1_790_000_000_000

    /// A hundred records, a second apart: the first fifty have failed for one reason, of the others every second for another.
    private func load(_ log: TestLog) throws {
        let encoder = RecordEncoder(options: log.options)
        let document = BSONWriter()
        let bulk = log.collection.bulk()
        for number in 0..<100 {
            let isEarly = number < 50
            let hasFailed = isEarly || number.isMultiple(of: 2)
            let record = DeliveryRecord.sample(
                number,
                outcome: hasFailed ? .rejected : .accepted,
                reason: hasFailed ? (isEarly ? "BadTopic" : "PayloadTooLarge") : nil,
                date: Self.begin + Int64(number) * 1000,
                client: number.isMultiple(of: 10) ? "minor" : "major"
            )
            encoder.encode(record, into: document)
            try bulk.insert(document)
        }
        try bulk.execute().requireDurable("load")
        _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
    }

    private func counts(_ groups: [DeliveryGroup]) -> [String: Int] {
        groups.reduce(into: [:]) { $0[$1.reason ?? "", default: 0] += $1.count }
    }

    @Test func ofManyFailuresTheNewestAreLookedAt() throws {
        try TestStore.withLog { log in
            try load(log)
            let failures = DeliveryQuery(excludedOutcomes: [.accepted])
            let all = try log.reader.groups(failures, ofNewest: 75)
            #expect(all.sample == nil)
            #expect(counts(all.groups) == ["BadTopic": 50, "PayloadTooLarge": 25])
            let newest = try log.reader.groups(failures, ofNewest: 30)
            #expect(newest.sample == 30)
            #expect(counts(newest.groups) == ["BadTopic": 5, "PayloadTooLarge": 25])
            // What else is asked is asked of those.
            let minor = try log.reader.groups(
                DeliveryQuery(client: "minor", excludedOutcomes: [.accepted]),
                ofNewest: 30
            )
            #expect(minor.sample == 30)
            #expect(counts(minor.groups) == ["PayloadTooLarge": 5])
            let early = DeliveryQuery(excludedOutcomes: [.accepted], until: Self.begin + 50_000)
            #expect(try counts(log.reader.groups(early, ofNewest: 10).groups) == ["BadTopic": 10])
        }
    }

    /// The reason of a superseded record names one notification.
    @Test func countsSupersededRecordsInOneGroup() throws {
        try TestStore.withLog { log in
            let encoder = RecordEncoder(options: log.options)
            let document = BSONWriter()
            let bulk = log.collection.bulk()
            for number in 0..<30 {
                let record = DeliveryRecord.sample(
                    number,
                    outcome: number < 20 ? .superseded : .cancelled,
                    reason: "by \(number % 10)",
                    date: Self.begin + Int64(number) * 1000
                )
                encoder.encode(record, into: document)
                try bulk.insert(document)
            }
            try bulk.execute().requireDurable("load")
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            let batch = BatchName("batch")
            let found = [
                try log.reader.groups(DeliveryQuery(excludedOutcomes: [.accepted])),
                try log.reader.parts(of: batch).groups,
            ]
            for groups in found {
                #expect(groups.filter(\.isSuperseded).map(\.count) == [20])
                #expect(groups.filter(\.isSuperseded).map(\.reason) == [nil])
                #expect(groups.filter(\.isCancelled).map(\.count) == [Int](repeating: 1, count: 10))
                #expect(groups.filter(\.isFailure).isEmpty)
            }
        }
    }

    @Test func whatIsNoQuestionOfFailuresIsCountedWhole() throws {
        try TestStore.withLog { log in
            try load(log)
            let batch = try log.reader.groups(DeliveryQuery(batch: BatchName("batch")), ofNewest: 10)
            #expect(batch.sample == nil)
            #expect(batch.groups.reduce(0) { $0 + $1.count } == 100)
        }
    }

    @Test(arguments: [(99, 99), (100, nil), (101, nil)] as [(Int, Int?)])
    func aSampleIsToldWhereSomethingWasLeftOut(most: Int, sample: Int?) throws {
        try TestStore.withLog { log in
            try load(log)
            let found = try log.reader.groups(DeliveryQuery(outcomes: [.accepted]), ofNewest: 10, outOf: most)
            #expect(found.sample == sample)
        }
    }

    /// Three parts of a batch of another name's beginning, and the batch itself: 40 records.
    private func loadParts(_ log: TestLog, longest: Double = .infinity) throws {
        let encoder = RecordEncoder(options: log.options)
        let document = BSONWriter()
        let bulk = log.collection.bulk()
        let names = ["launch", "launch.2", "launch.10", "launches"]
        for number in 0..<40 {
            let hasFailed = number % 4 == 2 && number < 20
            var record = DeliveryRecord.sample(
                number,
                outcome: hasFailed ? .rejected : .accepted,
                reason: hasFailed ? "BadTopic" : nil,
                date: Self.begin + Int64(number) * 1000,
                batch: names[number % 4],
                client: number < 20 ? "minor" : "major"
            )
            record.latencyMilliseconds = number == 0 ? nil : min(Double(number), longest)
            encoder.encode(record, into: document)
            try bulk.insert(document)
        }
        try bulk.execute().requireDurable("load")
        _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
    }

    @Test func aBatchInItsParts() throws {
        try TestStore.withLog { log in
            try loadParts(log)
            let (groups, found) = try log.reader.parts(of: BatchName("launch"))
            #expect(found.parts.map(\.name) == ["launch.10", "launch", "launch.2"])
            #expect(found.partCount == 3)
            #expect(found.parts.map(\.count) == [10, 10, 10])
            #expect(
                found.parts.first?.outcomes == [
                    OutcomeCount(outcome: "accepted", count: 5), OutcomeCount(outcome: "rejected", count: 5),
                ]
            )
            #expect(found.slowest.map(\.latencyMilliseconds) == [38, 37, 36, 34, 33])
            #expect(found.slowest.first?.batch == "launch.10")
            let whole = try log.reader.groups(DeliveryQuery(batch: BatchName("launch")))
            func sums(_ groups: [DeliveryGroup]) -> Set<[String]> {
                Set(groups.map { [$0.outcome, $0.client ?? "", "\($0.count)", "\($0.first)", "\($0.last)"] })
            }
            #expect(sums(groups) == sums(whole))
            #expect(groups.map(\.count) == whole.map(\.count))
            // Of what was accepted no ids are told; of the rest three, or as many as there are.
            for group in groups + whole where group.outcome != "accepted" {
                #expect(group.examples.count == min(3, group.count))
                #expect(group.examples == Array(Set(group.examples)).sorted { ($1.high, $1.low) < ($0.high, $0.low) })
            }
        }
    }

    @Test func theScopeHoldsForPartsAndAnswers() throws {
        try TestStore.withLog { log in
            try loadParts(log)
            let minor = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["minor"]))
            let (_, found) = try minor.parts(of: BatchName("launch"))
            #expect(found.parts.map(\.count) == [5, 5, 5])
            #expect(found.slowest.map(\.latencyMilliseconds) == [18, 17, 16, 14, 13])
            let (groups, none) = try minor.parts(of: BatchName("lunch"))
            #expect(groups.isEmpty && none.parts.isEmpty && none.slowest.isEmpty && none.partCount == 0)
        }
    }

    /// All of a group but the examples between the first and the last, of which there are more to choose from in many ranges.
    private static func told(_ group: DeliveryGroup) -> DeliveryGroup {
        var group = group
        group.examples = [group.examples.first, group.examples.last].compactMap(\.self)
        return group
    }

    /// What is told of a batch in ranges: of what was accepted, how many, and when anything ended; the rest as it is.
    private static func told(_ groups: [DeliveryGroup]) -> Set<DeliveryGroup> {
        var told = Set(groups.filter { $0.outcome != "accepted" }.map(Self.told))
        let accepted = groups.filter { $0.outcome == "accepted" }.reduce(0) { $0 + $1.count }
        if accepted > 0, let first = groups.map(\.first).min(), let last = groups.map(\.last).max() {
            told.insert(DeliveryGroup(outcome: "accepted", count: accepted, first: first, last: last))
        }
        return told
    }

    private static func counted(
        _ batch: BatchName,
        _ reader: DeliveryLogReader,
        size: Int,
        isMostlyAccepted: Bool = true
    ) throws(MongoError) -> (ranges: Int, areMany: Bool, fold: BatchPartsFold) {
        var ranges = BatchRanges(batch, size: size)
        var fold = BatchPartsFold()
        var count = 0
        while let range = try ranges.next(reader, time: .seconds(5)) {
            count += 1
            let part = try reader.count(
                range,
                withParts: true,
                isMostlyAccepted: isMostlyAccepted,
                time: .seconds(5)
            )
            fold.add(part)
        }
        fold.slowest = try reader.slowest(of: fold, time: .seconds(5))
        return (count, ranges.areMany, fold)
    }

    /// In ranges of one record and of many, and where another batch's name lies among those of the parts.
    @Test(arguments: [1, 2, 3, 7, 9, 10, 11, 1_000])
    func aBatchInRangesIsTheSameBatch(size: Int) throws {
        try TestStore.withLog { log in
            try loadParts(log)
            let stranger = BSONWriter()
            let bulk = log.collection.bulk()
            for number in 40..<60 {
                let record = DeliveryRecord.sample(number, outcome: .accepted, batch: "launch.10b")
                RecordEncoder(options: log.options).encode(record, into: stranger)
                try bulk.insert(stranger)
            }
            try bulk.execute().requireDurable("load")
            let minor = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["minor"]))
            for reader in [log.reader, minor] {
                for batch in [BatchName("launch"), BatchName("launch.2"), BatchName("launch.2", includesParts: false)] {
                    let whole = try reader.parts(of: batch)
                    for isMostlyAccepted in [true, false] {
                        let (count, areMany, fold) = try Self.counted(
                            batch,
                            reader,
                            size: size,
                            isMostlyAccepted: isMostlyAccepted
                        )
                        #expect(fold.parts == whole.parts)
                        #expect(fold.sortedGroups.count { $0.outcome == "accepted" } == 1)
                        #expect(Self.told(fold.sortedGroups) == Self.told(whole.groups))
                        #expect(areMany == (size < (batch.name == "launch" ? 40 : 10)))
                        if size == 1 { #expect(count >= 10) }
                    }
                }
            }
            #expect(try Self.counted(BatchName("lunch"), log.reader, size: size).fold.sortedGroups.isEmpty)
        }
    }

    /// As where a push service gives up after a time that is always the same.
    @Test(arguments: [1, 3, 10, 1_000], [0, 5, 37])
    func ofAnswersThatTookAsLongTheNewestAreTold(size: Int, longest: Double) throws {
        try TestStore.withLog { log in
            try loadParts(log, longest: longest)
            let minor = DeliveryLogReader(client: log.client, options: log.options, scope: .clients(["minor"]))
            for reader in [log.reader, minor] {
                let batch = BatchName("launch")
                for isMostlyAccepted in [true, false] {
                    let slowest = try Self.counted(batch, reader, size: size, isMostlyAccepted: isMostlyAccepted).fold
                        .parts.slowest
                    #expect(slowest.count == 5)
                    #expect(try slowest == reader.parts(of: batch).parts.slowest)
                }
            }
        }
    }

    /// While a batch is being written, nothing that has failed is taken for accepted.
    @Test func whatIsWrittenBetweenTwoReadsIsInNeither() throws {
        try TestStore.withLog { log in
            // The tests' server keeps none otherwise.
            try keepHistory(seconds: 60, log.client)
            defer { try? keepHistory(seconds: 0, log.client) }
            try loadParts(log)
            var ranges = BatchRanges(BatchName("launch"))
            let range = try #require(try ranges.next(log.reader, time: .seconds(5)))
            for (number, withParts) in [true, false].enumerated() {
                let moment = try log.collection.snapshot()
                let failures = try log.reader.countFailures(range, withParts: withParts, at: moment, time: .seconds(5))
                try log.write(
                    .sample(91 + number, outcome: .tokenInvalid, reason: "Unregistered", batch: "launch")
                )
                let fold = try log.reader.addAccepted(
                    to: failures,
                    range,
                    withParts: withParts,
                    at: moment,
                    time: .seconds(5)
                )
                let counts = Dictionary(grouping: fold.sortedGroups, by: \.outcome).mapValues { $0[0].count }
                #expect(counts == (number == 0 ? ["accepted": 10] : ["accepted": 10, "token_invalid": 1]))
            }
        }
    }

    private func keepHistory(seconds: Int, _ client: MongoClient) throws {
        let command = BSONDocument { command in
            command.append("setParameter", int: 1)
            command.append("minSnapshotHistoryWindowInSeconds", int: seconds)
        }
        _ = try client.command(database: "admin", command)
    }

    @Test func ofAnswersThatTookAsLongTheSameAreKeptInAnyOrder() {
        let answers = (0..<12).map { number in
            BatchParts.SlowAnswer(
                id: NotificationID(high: 7, low: UInt64(number)),
                batch: "b",
                latencyMilliseconds: number == 3 ? 90 : 50
            )
        }
        let group = DeliveryGroup(outcome: "accepted", count: 1, first: 0, last: 0)
        for order in [answers, answers.reversed()] {
            var sum = BatchPartsFold()
            for answer in order {
                var one = BatchPartsFold()
                one.add(group, part: "b", slowest: [answer])
                sum.add(one)
            }
            #expect(sum.parts.slowest.map(\.id.low) == [3, 11, 10, 9, 8])
            #expect(sum.sortedGroups.map(\.count) == [12])
        }
    }

    @Test func onlyTheFirstHundredPartsAreKept() {
        var fold = BatchPartsFold()
        for number in 1...150 {
            let outcome = number == 120 ? "deferred" : "accepted"
            let group = DeliveryGroup(outcome: outcome, count: 1, first: 0, last: 0)
            fold.add(group, part: "b.\(number)", slowest: [])
        }
        #expect(fold.parts.partCount == 150)
        #expect(fold.parts.parts.count == 100)
        #expect(fold.parts.parts.prefix(3).map(\.name) == ["b.120", "b.1", "b.2"])
    }
}
