import Glibc
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillMongoTestSupport
import WaybillProviders
import WaybillReceipts
import WaybillThreads

@testable import WaybillOperations

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryInvestigationTests {
    private static let date: Int64 = 1_790_000_000_000
    private static let dead = "dead00"

    private func record(
        _ number: Int,
        _ outcome: Outcome,
        token: String = "aa00",
        status: Int? = 200,
        reason: String? = nil,
        client: String = "acme",
        batch: String = "campaign",
        date: Int64? = nil
    ) -> DeliveryRecord {
        DeliveryRecord(
            id: NotificationID(high: 7, low: UInt64(number)),
            deviceToken: Array(token.utf8)[...],
            outcome: outcome,
            statusCode: status,
            reason: reason,
            date: date ?? Self.date + Int64(number),
            batchID: batch,
            client: client,
            lane: "parcels",
            topic: "com.example.app",
            attempts: status == nil ? 0 : 1
        )
    }

    /// Runs a test with nine records and a registered device.
    private func withLog(
        tokens: DeliveryLogOptions.Tokens = .plain,
        fleet: (_ client: MongoClient, _ database: String) throws -> Void = { _, _ in },
        _ test: (_ investigate: (DeliveryScope) -> DeliveryInvestigation) throws -> Void
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(
                database: database,
                tokens: tokens,
                retention: RetentionPolicy(default: .days(30))
            )
            _ = try DeliveryLogIndexes.ensure(client: client, database: database)
            let records =
                (1...5).map { record($0, .accepted) }
                + [
                    record(
                        6,
                        .tokenInvalid,
                        token: Self.dead,
                        status: 410,
                        reason: "Unregistered",
                        batch: "campaign.1"
                    ),
                    record(7, .rejected, status: 400, reason: "BadTopic", client: "rival"),
                    record(8, .rejected, status: 400, reason: "BadTopic", client: "rival"),
                    record(9, .deferred, status: nil, reason: "unreachable"),
                ]
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
            let device = BSONWriter()
            device.append("device_token", string: Self.dead)
            device.append("topic", string: "com.example.app")
            device.append("client", string: "acme")
            device.append("registered_at", date: 5)
            let bulk = client.collection(database: database, name: "devices").bulk()
            try bulk.insert(device)
            try bulk.execute().requireDurable("register")
            try fleet(client, database)
            try test { DeliveryInvestigation(client: client, options: options, scope: $0) }
        }
    }

    @Test func aBatchIsToldByHowItEnded() throws {
        try withLog { investigate in
            let story = try investigate(.all).batch("campaign")
            #expect(story.counts.map(\.outcome) == ["accepted", "rejected", "token_invalid", "deferred"])
            #expect(story.counts.map(\.count) == [5, 2, 1, 1])
            let topic = try #require(story.failures.first)
            #expect(topic.reason == "BadTopic")
            #expect(topic.client == "rival")
            #expect(topic.lane == "parcels")
            #expect(topic.topic == "com.example.app")
            #expect(topic.first == Self.date + 7)
            #expect(topic.last == Self.date + 8)
            #expect(Set(topic.examples.map(\.low)) == [7, 8])
            #expect(story.pending.map(\.reason) == ["unreachable"])
            #expect(story.next.contains { $0.contains("BadTopic") })
            #expect(story.sample == nil)
        }
    }

    @Test func aDeadTokenIsToldWithEventAndRegistry() throws {
        try withLog { investigate in
            let story = try investigate(.all).token(Array(Self.dead.utf8))
            let kinds = try #require(story.notifications.first).steps.map(\.kind)
            #expect(story.notifications.count == 1)
            #expect(kinds == [.attempt, .outcome, .event, .registry, .expires])
            #expect(story.registry.first?.text == "enabled for com.example.app")
            #expect(story.next.contains { $0.contains("No waybill prune runs: the event waits in the queue") })
            #expect(!story.hasMore)
            // Whoever has a key for some clients has no commands.
            let own = try investigate(.clients(["acme"])).token(Array(Self.dead.utf8))
            #expect(own.next.contains { $0.hasSuffix("still has the token enabled. Ask the operator.") })
        }
    }

    /// A fuse for what the record of the dead token says, and what prune has put down.
    private static func blow(_ client: MongoClient, _ database: String) throws {
        let cause = Fuse.Cause.sample(at: date + 10, since: date)
        let name = FuseName(lane: "parcels", app: "com.example.app")
        let event = InvalidTokenEvent(
            provider: nil,
            deviceToken: dead,
            reason: "Unregistered",
            statusCode: 410,
            invalidSince: nil,
            observedAt: date + 6,
            notificationID: NotificationID(high: 7, low: 6),
            batchID: "campaign.1",
            client: "acme",
            lane: "parcels",
            topic: "com.example.app",
            environment: .production,
            verdict: .dead
        )
        let entry = TokenEvents.Entry(id: TokenEvents.id(event), name: name, at: date + 6, event: "{}", isKnown: true)
        _ = try FuseStore(client: client, database: database).blow(name, cause, known: nil)
        _ = try TokenEvents(client: client, database: database).put([entry], .held, now: date)
    }

    @Test(arguments: [DeliveryLogOptions.Tokens.plain, .digest(key: Array("key".utf8))])
    func aTokenThatAFuseDoubtsIsNotCalledDead(tokens: DeliveryLogOptions.Tokens) throws {
        try withLog(tokens: tokens, fleet: Self.blow) { investigate in
            let story = try investigate(.all).token(Array(Self.dead.utf8))
            let told = try #require(story.notifications.first)
            #expect(told.steps.map(\.kind) == [.attempt, .outcome, .event, .fuse, .registry, .expires])
            let step = try #require(told.steps.first { $0.kind == .fuse })
            #expect(step.text.hasPrefix("held by the fuse of the lane parcels and com.example.app, until a person"))
            #expect(step.date == Self.date + 10)
            #expect(story.next.contains { $0.hasSuffix("`waybill prune status`.") })
            let words = [told.meaning] + told.next + story.next
            #expect(!words.contains { $0.contains("ublish no more") || $0.contains("stop sending") }, "\(words)")
            let stories = try investigate(.all).notification(NotificationID(high: 7, low: 6))
            #expect(stories.next.first?.hasPrefix("Whether the token is dead is in doubt") == true)
            #expect(stories.json().contains(#"{"command":"waybill prune status","get":"/v1/fuses"}"#))
            #expect(try investigate(.clients(["acme"])).notification(NotificationID(high: 7, low: 6)).next.count == 2)
        }
    }

    /// Events that a person has released, and that no prune carries out, are told of with their batch, too.
    @Test func whatWasReleasedAndWaitsIsToldOfItsBatch() throws {
        try withLog(fleet: { client, database in
            try Self.blow(client, database)
            let store = FuseStore(client: client, database: database)
            let fuse = try #require(try store.fuses().first)
            #expect(try store.decide(fuse, .released, FuseDecision(name: "anna", date: Self.date + 60_000)))
        }) { investigate in
            let story = try investigate(.all).batch("campaign")
            let words = "No waybill prune runs; lane parcels: events of com.example.app that were released"
            #expect(
                story.now.contains { $0.hasPrefix(words) && $0.hasSuffix("wait to be carried out: 1.") },
                "\(story.now)"
            )
            #expect(story.next.contains { $0.hasPrefix("Start it: waybill prune") }, "\(story.next)")
            let other = try investigate(.all).batch("alarm")
            #expect(!other.now.contains { $0.contains("waybill prune") }, "\(other.now)")
        }
    }

    /// `logs --story` asks for itself, and has the same words.
    @Test(arguments: [DeliveryLogOptions.Tokens.plain, .digest(key: Array("key".utf8))])
    func logsTellTheSameOfAFuse(tokens: DeliveryLogOptions.Tokens) throws {
        try withLog(tokens: tokens, fleet: Self.blow) { investigate in
            let investigation = investigate(.all)
            let told = try #require(try investigation.token(Array(Self.dead.utf8)).notifications.first)
            // More than one question.
            let sound = try investigation.reader.page(DeliveryQuery(limit: 100)).records
            let records = Array(repeating: told.record, count: 150) + sound
            let story = try FuseStory(of: records, client: investigation.client, options: investigation.options)
            #expect(story.step(of: told.record) == told.steps.first { $0.kind == .fuse })
            #expect(story.isDoubtful(told.record))
            let others = sound.filter { $0.verdict == nil }
            #expect(others.count > 4 && others.allSatisfy { story.step(of: $0) == nil && !story.isDoubtful($0) })
        }
    }

    /// Its dispatcher was killed: there may have been a storm, which prune would take back.
    @Test func whatDiedWhileNobodyHasCountedItIsInDoubt() throws {
        let dead = record(
            20,
            .tokenInvalid,
            token: "dead20",
            status: 410,
            reason: "Unregistered",
            batch: "late",
            date: WallClock.milliseconds()
        )
        try withLog(fleet: { client, database in
            _ = try StatisticsIndexes.ensure(client: client, database: database)
            let ledger = StatisticsLedger(pace: StatisticsPace(interval: .milliseconds(20)))
            let statistics = StatisticsWriter(client: client, database: database, ledger: ledger)
            try statistics.open(ledger.reserve([StatisticsMinute(.date, time: dead.date)]))
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .days(30)))
            try DeliveryLogWriter(client: client, options: options).write([LogEntry(record: dead)])
            // For less than two intervals it would pass for one that is there.
            usleep(100_000)
        }) { investigate in
            let words = "in doubt: a dispatcher has gone before it had counted"
            let told = try investigate(.all).token(Array("dead20".utf8)).next + investigate(.all).batch("late").next
            #expect(told.count { $0.contains(words) } == 2, "\(told)")
            #expect(!told.contains { $0.contains("ublish no more") || $0.contains("stop sending") }, "\(told)")
        }
    }

    /// As where its user may not read them.
    @Test func fusesThatCannotBeReadKeepNothingElseFromBeingTold() throws {
        let nonsense: (MongoClient, String) throws -> Void = { client, database in
            let bulk = client.collection(database: database, name: "fuses").bulk()
            let document = BSONWriter()
            document.append("_id", string: "nonsense")
            try bulk.insert(document)
            try bulk.execute().requireDurable("spoil")
        }
        try withLog(fleet: nonsense) { investigate in
            let told = try #require(try investigate(.all).token(Array(Self.dead.utf8)).notifications.first)
            let step = try #require(told.steps.first { $0.kind == .fuse })
            #expect(step.text.hasPrefix("not readable: "))
            #expect(told.steps.map(\.kind) == [.attempt, .outcome, .event, .fuse, .registry, .expires])
            #expect(told.next.contains { $0.hasPrefix("Publish no more to this token") })
            // Nobody asks where there is no event.
            let sound = try investigate(.all).notification(NotificationID(high: 7, low: 7))
            #expect(sound.notifications.first?.steps.contains { $0.kind == .fuse } == false)
        }
    }

    @Test(
        arguments: [
            (.dead, "enabled for a", .nobody, "No waybill prune runs"), (.dead, nil, .nobody, "No waybill prune runs"),
            (.suspect, nil, .nobody, "No waybill prune runs"), (.dead, "disabled for a", .nobody, nil),
            (.suspect, "suspected for a", .nobody, nil), (.dead, "enabled for a", .prune, "The registry still has"),
            (.suspect, "enabled for a", .prune, nil), (.dead, nil, .prune, nil), (.dead, nil, .unknown, nil),
            (.dead, "enabled for a", .unknown, "The registry still has the token enabled: see with `waybill status`"),
        ] as [(TokenVerdict, String?, EventTaker, String?)]
    )
    func anEventThatNobodyTakesIsSaidToWait(verdict: TokenVerdict, state: String?, taker: EventTaker, words: String?) {
        let registry = state.map { [StoryStep(.registry, date: nil, text: $0)] } ?? []
        let next = StoryAdvice.next(ofEvent: verdict, registry: registry, taker: taker, reader: .operators)
        #expect(words.map { next?.hasPrefix($0) == true } ?? (next == nil), "\(next ?? "nothing")")
    }

    @Test func whoTakesEventsIsKnownByTheLeases() {
        func lease(_ role: String, secondsAgo: Int64 = 1, isEnded: Bool = false) -> Lease {
            Lease(
                role: role,
                host: "push-1",
                process: 1,
                version: "1.0.0",
                started: Self.date - 60_000,
                seen: Self.date - secondsAgo * 1000,
                isEnded: isEnded,
                status: []
            )
        }
        #expect(EventTaker(leases: [lease("prune")], now: Self.date) == .prune)
        for leases in [[], [lease("dispatch")], [lease("prune", secondsAgo: 9)], [lease("prune", isEnded: true)]] {
            #expect(EventTaker(leases: leases, now: Self.date) == .nobody)
        }
        #expect(EventTaker(leases: nil, now: Self.date) == .unknown)
    }

    @Test func oneNotification() throws {
        try withLog { investigate in
            let stories = try investigate(.all).notification(NotificationID(high: 7, low: 7))
            #expect(stories.notifications.map(\.record.reason) == ["BadTopic"])
            #expect(stories.now.isEmpty)
            #expect(stories.notifications.first?.steps.last?.date == Self.date + 7 + 30 * 86_400_000)
            #expect(
                stories.notifications.first?.steps.contains { $0.kind == .registry && $0.text.hasPrefix("no device") }
                    == true
            )
        }
    }

    /// What the registry holds under a digest would be another device's.
    @Test func aDigestIsNotLookedUpInTheRegistry() throws {
        try withLog(tokens: .digest(key: Array("key".utf8))) { investigate in
            let steps = try investigate(.all).notification(NotificationID(high: 7, low: 6)).notifications
                .flatMap(\.steps)
            let texts = steps.filter { $0.kind == .registry }.map(\.text)
            #expect(texts.count == 1)
            #expect(texts.allSatisfy { $0.hasPrefix("not asked: the log holds digests") })
            #expect(
                try investigate(.all).token(Array(Self.dead.utf8)).registry.first?.text.hasPrefix("enabled") == true
            )
        }
    }

    @Test func whatMostFailuresAreIsCountedByReason() {
        func group(_ reason: String, _ lane: String, _ count: Int) -> DeliveryGroup {
            DeliveryGroup(
                outcome: "rejected",
                reason: reason,
                client: nil,
                lane: lane,
                topic: nil,
                count: count,
                first: 0,
                last: 0,
                examples: []
            )
        }
        func advice(_ groups: [DeliveryGroup]) -> String? {
            let story = BatchStory(name: "b", groups: groups, sample: nil, next: [])
            return StoryAdvice.next(of: story).first
        }
        let split = [group("BadTopic", "a", 4), group("TopicDisallowed", "a", 3), group("TopicDisallowed", "b", 3)]
        #expect(advice(split)?.hasPrefix("Most failures are TopicDisallowed") == true)
        let even = [group("BadTopic", "a", 4), group("TopicDisallowed", "a", 3), group("BadPath", "b", 3)]
        #expect(advice(even)?.hasPrefix("The largest group of failures is BadTopic") == true)
        let tied = [group("BadTopic", "a", 3), group("TopicDisallowed", "a", 3), group("BadPath", "b", 2)]
        #expect(advice(tied)?.hasPrefix("One of several groups of failures, none larger, is BadTopic") == true)
    }

    @Test(
        arguments: [
            ("01a20655-7ea0-8d78-9709-6c598590000", "this has 31"), ("01a206557ea08d7897096c598590000", "this has 31"),
            ("spring-sale", nil), ("01a20655", nil),
        ] as [(String, String?)]
    )
    func anIDThatLacksADigitIsKnownForOne(name: String, words: String?) {
        let next = StoryAdvice.nothingFound(of: .batch(name))
        #expect(next.contains { $0.hasPrefix("Is it an apns-id?") } == (words != nil))
        if let words { #expect(next.first?.contains(words) == true) }
    }

    private func advice(_ group: DeliveryGroup) -> String {
        StoryAdvice.next(of: BatchStory(name: "b", groups: [group], sample: nil, next: []))
            .joined(separator: " ")
    }

    @Test(
        arguments: [
            ("cancelled", "by root@vm", "3 were cancelled by root@vm. To send them after all, publish them again"),
            ("expired", "max_age", "Most failures are older than their max_age"),
            ("expired", "expiration", "Most failures are past their expiration."),
            ("expired", "expiration", "publish them again with a new timestamp, and with a later expiration"),
            ("deferred", "InvalidProviderToken", "InvalidProviderToken does not end by itself: the lane's team_id"),
            ("deferred", "lane parked: BadCertificate", "BadCertificate does not end by itself"),
            ("deferred", "unreachable", "What is deferred is tried again by itself"),
        ]
    )
    func aBatchSaysWhatItsReasonsMean(outcome: String, reason: String, words: String) {
        let group = DeliveryGroup(outcome: outcome, reason: reason, count: 3, first: 0, last: 0)
        #expect(advice(group).contains(words))
    }

    /// What somebody has ordered is no failure, however much of it there is.
    @Test func whatWasCancelledIsNoFailure() {
        let groups = [
            DeliveryGroup(outcome: "cancelled", reason: "by anna@push-1", count: 900, first: 0, last: 0),
            DeliveryGroup(outcome: "rejected", reason: "BadTopic", count: 2, first: 0, last: 0),
        ]
        let story = BatchStory(name: "b", groups: groups, sample: nil, next: [])
        #expect(story.failures.map(\.reason) == ["BadTopic"] && story.stopped.map(\.count) == [900])
        let next = StoryAdvice.next(of: story)
        #expect(next.first?.hasPrefix("Most failures are BadTopic") == true)
        #expect(next.contains { $0.hasPrefix("900 were cancelled by anna@push-1. To send them") })
        let json = story.json()
        #expect(json.contains(#""failures":[{"outcome":"rejected""#))
        #expect(json.contains(#""cancelled_groups":[{"outcome":"cancelled""#))
        let alone = BatchStory(name: "b", groups: [groups[0]], sample: nil, next: [])
        #expect(!StoryAdvice.next(of: alone).contains { $0.contains("failures") })
    }

    @Test func countsSupersededGroupApartFromFailures() {
        let groups = [
            DeliveryGroup(outcome: "superseded", count: 900, first: 0, last: 0),
            DeliveryGroup(outcome: "rejected", reason: "BadTopic", count: 2, first: 0, last: 0),
            DeliveryGroup(outcome: "superseded", client: "acme", count: 1, first: 0, last: 0),
        ]
        let story = BatchStory(name: "b", groups: groups, sample: nil, next: [])
        #expect(story.failures.map(\.reason) == ["BadTopic"] && story.superseded.map(\.count) == [900, 1])
        #expect(story.stopped.isEmpty)
        let next = StoryAdvice.next(of: story)
        #expect(next.first?.hasPrefix("Most failures are BadTopic") == true)
        let many = "901 were superseded: newer notifications with the same collapse id were accepted. "
        #expect(next.contains("\(many)Nothing is to be done."))
        let json = story.json()
        #expect(json.contains(#""failures":[{"outcome":"rejected""#))
        #expect(json.contains(#""superseded_groups":[{"outcome":"superseded","count":900"#))
        let alone = BatchStory(name: "b", groups: [groups[2]], sample: nil, next: [])
        let single = "1 was superseded: a newer notification with the same collapse id was accepted. "
        #expect(StoryAdvice.next(of: alone).first == "\(single)Nothing is to be done.")
    }

    @Test func aFaultOfTheLaneIsNotSaidToEndByItself() {
        let group = DeliveryGroup(outcome: "deferred", reason: "InvalidProviderToken", count: 3, first: 0, last: 0)
        #expect(!advice(group).contains("is tried again by itself"))
    }

    /// What the lane's own advice says is not said again.
    @Test(arguments: [("parcels", false), ("news", true)])
    func theCauseOfAParkedLaneIsToldOnce(lane: String, isTold: Bool) {
        let reason = "lane parked: BadCertificate"
        let group = DeliveryGroup(outcome: "deferred", reason: reason, lane: lane, count: 3, first: 0, last: 0)
        let story = BatchStory(name: "b", groups: [group], sample: nil, next: [])
        let parked = Obstacle("The lane parcels is parked for BadCertificate.", remedy: "Renew it.", lane: "parcels")
        let next = StoryAdvice.next(of: story, told: [parked])
        #expect(next.contains { $0.hasPrefix("What is deferred") } == isTold)
    }

    @Test func aFaultOfALaneThatSendsAgainIsOver() {
        let group = DeliveryGroup(
            outcome: "deferred",
            reason: "lane parked: InvalidProviderToken",
            lane: "parcels",
            count: 3,
            first: 0,
            last: 0
        )
        let story = BatchStory(name: "b", groups: [group], sample: nil, next: [])
        let next = StoryAdvice.next(of: story, openLanes: ["parcels"]).joined(separator: " ")
        #expect(next.contains("the lane parcels sends again"))
        #expect(!next.contains("does not end by itself"))
    }

    /// Most suspect tokens are good, and the lane is wrong.
    @Test(
        arguments: [
            (400, "BadDeviceToken", "The token may be good, and the lane parcels wrong for it"),
            (400, "DeviceTokenNotForTopic", "The token may be good, and the topic wrong for it: compare the message's"),
            (410, "Unregistered", "Publish no more to this token"),
        ]
    )
    func whatToDoAboutATokenFollowsItsVerdict(status: Int, reason: String, words: String) {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "token_invalid")
                writer.append("status_code", int: status)
                writer.append("reason", string: reason)
                writer.append("lane", string: "parcels")
            }
        )
        let verdict = ProviderName.apns.tokenVerdict(recorded: .tokenInvalid, statusCode: status)
        let next = StoryAdvice.next(of: record, verdict: verdict, registry: [])
        #expect(next.first?.hasPrefix(words) == true)
    }

    @Test(
        arguments: [
            (3600, "1970-01-01T01:00:00.000Z, which must be a slip"), (999_999_999, "must be a slip"),
            (1_000_000_000, "publish it again with a new timestamp, and with a later expiration"),
            (0, "publish it again with a new timestamp, and with a later expiration"),
        ]
    )
    func anExpirationOfLongAgoIsASlip(expiration: Int, words: String) {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "expired")
                writer.append("reason", string: "expiration")
                writer.append("expiration", int: expiration)
            }
        )
        let next = StoryAdvice.next(of: record, verdict: nil, registry: [])
        #expect(next.count == 1 && next[0].contains(words), "\(next)")
    }

    @Test func theExpirationOfABatchIsASlip() {
        var group = DeliveryGroup(outcome: "expired", reason: "expiration", count: 3, first: 0, last: 0)
        group.expiration = 3600
        group.expirationFrom = .message
        let next = StoryAdvice.next(of: BatchStory(name: "b", groups: [group], sample: nil, next: []))
        #expect(next.contains { $0.hasPrefix("The expiration of one of them, 3600, is 1970-01-01T01:00:00.000Z") })
        #expect(!next.contains { $0.contains("a later expiration") }, "\(next)")
    }

    /// A default counts from the message's own time.
    @Test func aDefaultExpirationOfLongAgoIsAWrongTimestamp() {
        let record = LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("outcome", string: "expired")
                writer.append("reason", string: "expiration")
                writer.append("expiration", int: 86_400)
                writer.append("expiration_from", string: "default")
            }
        )
        let next = StoryAdvice.next(of: record, verdict: nil, registry: [])
        #expect(next.count == 1 && next[0].contains("The timestamp of the message must be wrong"), "\(next)")
    }

    @Test func aPartOfATokenIsTakenForOne() {
        let digits = String(repeating: "a", count: 30)
        #expect(StoryAdvice.nothingFound(of: .batch(digits)).first?.contains("30 digits") == true)
        #expect(StoryAdvice.nothingFound(of: .batch("20261122")).allSatisfy { !$0.contains("digits") })
    }

    @Test func nothingFoundSaysWhatItMayMean() throws {
        try withLog { investigate in
            let all = investigate(.all)
            let batch = try all.batch("nothing")
            #expect(batch.next.contains { $0.contains("waybill rejected") })
            #expect(try all.token(Array("bb".utf8)).next.contains { $0.contains("whole token") })
            let none = try all.notification(NotificationID(high: 1, low: 1))
            #expect(none.notifications.isEmpty)
            #expect(none.next.first?.hasPrefix("Start a dispatcher") == true)
            #expect(
                Array(none.next.dropFirst())
                    == StoryAdvice.nothingFound(of: .notification(NotificationID(high: 1, low: 1)))
            )
            for now in [batch.now, none.now, try all.token(Array("bb".utf8)).now] {
                #expect(now == ["No dispatcher runs. What is published waits in the broker until one does."])
            }
        }
    }

    @Test func anotherClientsRecordsAndDevicesAreNotThere() throws {
        try withLog { investigate in
            let rival = investigate(.clients(["rival"]))
            #expect(try rival.batch("campaign").total == 2)
            let story = try rival.token(Array(Self.dead.utf8))
            #expect(story.notifications.isEmpty)
            #expect(story.registry.map(\.text) == ["no device of your clients has this token"])
            #expect(try rival.notification(NotificationID(high: 7, low: 1)).notifications.isEmpty)
        }
    }

    private static let anna = OrderSource(name: "anna@push-1", date: date, note: "wrong text")

    private func order(
        _ cancellations: [Cancellation],
        lanes: [LaneOrder] = []
    ) -> (MongoClient, String) throws -> Void {
        { client, database in
            let writer = OrderWriter(client: client, database: database)
            #expect(try writer.cancel(cancellations) == nil)
            // However old the times of these tests are, they hold.
            let bulk = client.collection(database: database, name: "orders").bulk()
            let later = BSONDocument { update in
                update.append("$set") { $0.append("expires_at", date: 4_000_000_000_000) }
            }
            try bulk.updateMany(filter: .empty, update: later)
            _ = bulk.execute()
            for lane in lanes { try writer.write(lane) }
        }
    }

    @Test func aCancelledBatchWithoutRecordsSaysByWhom() throws {
        let orders = [
            Cancellation(batch: BatchName("nothing"), client: nil, source: Self.anna),
            Cancellation(batch: BatchName("nothing"), client: "acme", source: Self.anna),
            Cancellation(batch: BatchName("other"), client: "acme", source: Self.anna),
        ]
        try withLog(fleet: order(orders)) { investigate in
            let story = try investigate(.all).batch("nothing.3")
            #expect(Set(story.cancelled.map(\.client)) == [nil, "acme"])
            #expect(story.cancelled.allSatisfy { $0.source == "anna@push-1" && $0.note == "wrong text" })
            let words = "by anna@push-1 at 2026-09-21T14:13:20.000Z (wrong text)"
            #expect(story.now.count { $0.contains(words) && $0.contains("Nothing of it is recorded") } == 2)
            let acme = try investigate(.clients(["acme"])).batch("nothing")
            #expect(acme.cancelled.map(\.client) == ["acme"])
            #expect(acme.next.first?.hasSuffix("`DELETE /v1/batches/nothing/cancel?client=acme`.") == true)
            let all = try investigate(.all).batch("nothing")
            #expect(all.next.contains { $0.hasSuffix("`waybill cancel --lift nothing --client acme`.") })
            let noDispatcher = "No dispatcher runs: what is published waits in the broker until one does."
            #expect(acme.now.count == 2 && acme.now.last == noDispatcher)
            let rival = try investigate(.clients(["rival"])).batch("nothing")
            #expect(rival.cancelled.isEmpty && rival.now == [noDispatcher])
        }
    }

    /// One that is sent again until somebody acknowledges it.
    private static func repeated(_ id: NotificationID) -> UnacknowledgedNotification {
        UnacknowledgedNotification(
            first: id,
            client: "acme",
            lane: "parcels",
            rule: RepeatRule(interval: 60, limit: 3),
            begins: date,
            ends: nil,
            message: UnacknowledgedNotification.Message(
                body: Array("{}".utf8),
                messageID: "m",
                timestamp: 1_790_000_000,
                producer: "backend",
                isBulk: false
            )
        )
    }

    /// All of a batch has a record, and some of it is sent again until somebody acknowledges it.
    @Test(arguments: [(false, true), (false, false), (true, false)])
    func whatIsStillSentAgainHasNotEnded(isAcknowledged: Bool, isServed: Bool) throws {
        let id = NotificationID(high: 7, low: 10)
        let retention = RetentionPolicy(default: .days(30))
        let alarm = { (client: MongoClient, database: String) in
            let options = DeliveryLogOptions(database: database, tokens: .plain, retention: retention)
            let records = [self.record(10, .accepted, batch: "alarm"), self.record(11, .accepted, batch: "alarm")]
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
            try UnacknowledgedWriter(client: client, database: database, retention: retention)
                .enter([Self.repeated(id)], now: Self.date)
            if isServed {
                try LeaseWriter(client: client, database: database).write(
                    .sample(role: "schedule", #"{"ready":true}"#, seen: Self.date)
                )
            }
            guard isAcknowledged else { return }
            let store = UnacknowledgedStore(client: client, database: database, owner: "a")
            let claimed = try #require(try store.claim(now: Self.date + 60_000))
            try store.note([(claimed.notification.first, .ended(.acknowledged))], now: Self.date + 60_000)
        }
        try withLog(fleet: alarm) { investigate in
            let story = try investigate(.all).batch("alarm")
            let words =
                "but 1 of its notifications is "
                + (isServed
                    ? "still sent again until somebody acknowledges it."
                    : "to be sent again until somebody acknowledges it, which nobody does now.")
            let missing = story.now.contains(
                "No waybill schedule runs; critical notifications wait to be sent again: 1."
            )
            #expect(missing == (!isAcknowledged && !isServed), "\(story.now)")
            #expect(story.next.contains { $0.hasPrefix("Start waybill schedule") } == missing)
            #expect(story.now.contains { $0.hasSuffix(words) } == !isAcknowledged)
            #expect(story.next.contains { $0.hasSuffix("`waybill cancel alarm`.") } == !isAcknowledged)
            let one = try investigate(.all).notification(id)
            #expect(one.next.contains { $0.hasSuffix("`waybill cancel alarm`.") } == !isAcknowledged)
            let other = try investigate(.all).notification(NotificationID(high: 7, low: 11))
            #expect(!other.next.contains { $0.contains("waybill cancel") })
        }
    }

    /// Nobody looks at a family before its next repeat is due; that there is none is known from the record.
    @Test(arguments: [Outcome.tokenInvalid, .rejected, .accepted]) func whatWasRefusedIsNotSentAgain(_ outcome: Outcome)
        throws
    {
        let id = NotificationID(high: 7, low: 10)
        let retention = RetentionPolicy(default: .days(30))
        let alarm = { (client: MongoClient, database: String) in
            let options = DeliveryLogOptions(database: database, tokens: .plain, retention: retention)
            let record = self.record(10, outcome, status: 410, reason: "Unregistered", batch: "alarm")
            try DeliveryLogWriter(client: client, options: options).write([LogEntry(record: record)])
            try UnacknowledgedWriter(client: client, database: database, retention: retention)
                .enter([Self.repeated(id)], now: Self.date)
        }
        try withLog(fleet: alarm) { investigate in
            let story = try investigate(.all).batch("alarm")
            let isSent = outcome == .accepted
            #expect(story.now.contains { $0.contains("to be sent again") } == isSent, "\(story.now)")
            #expect(story.next.contains { $0.hasSuffix("`waybill cancel alarm`.") } == isSent)
            let one = try #require(try investigate(.all).notification(id).notifications.first)
            let repeats = one.steps.first { $0.kind == .repeats }?.text ?? ""
            #expect(repeats.contains("the next look") == isSent, "\(repeats)")
        }
    }

    /// The id of what has no record has its message's time in front.
    @Test(arguments: [(-120_000, true), (60_000, false)])
    func whatWasPublishedAfterALaneWasResumedDidNotWaitForIt(after: Int64, isTold: Bool) throws {
        let now = WallClock.milliseconds()
        let resumed = LaneOrder(lane: "parcels", state: .open, source: OrderSource(name: "anna@push-1", date: now))
        let id = NotificationID(high: UInt64(now + after) << 16 | 0x8000, low: 1)
        try withLog(fleet: order([], lanes: [resumed])) { investigate in
            let story = try investigate(.all).notification(id)
            #expect(story.now.contains { $0.contains("The lane parcels was resumed") } == isTold)
        }
    }

    @Test func whatIsDeferredSaysWhatItsLaneWaitsFor() throws {
        let lanes = ["parcels", "news"].map { LaneOrder(lane: $0, state: .paused, source: Self.anna) }
        try withLog(fleet: order([], lanes: lanes)) { investigate in
            let deferred = try investigate(.all).notification(NotificationID(high: 7, low: 9))
            #expect(deferred.now.contains { $0.hasPrefix("The lane parcels is paused by anna@push-1") })
            #expect(!deferred.now.contains { $0.contains("news") })
            #expect(
                deferred.notifications.first?.next.contains { $0.contains("`waybill lanes resume parcels`") } == true
            )
            let batch = try investigate(.all).batch("campaign")
            #expect(batch.now.contains { $0.hasPrefix("The lane parcels is paused") })
            #expect(!batch.now.contains { $0.contains("news") })
            let final = try investigate(.all).batch("campaign.1")
            // What others wait for is not its business.
            let ended =
                "All that is recorded of it has ended. Whether more of it waits cannot be told from the log."
            #expect(final.total == 1 && final.now == [ended])
            #expect(!final.next.contains { $0.contains("`waybill lanes resume") || $0.hasPrefix("Start a dispatcher") })
            #expect(final.next.last?.contains("`waybill status`") == true)
            let none = try investigate(.all).batch("nothing")
            #expect(none.now.contains { $0.hasPrefix("The lane news is paused") })
            let place = none.next.firstIndex { $0.contains("`waybill lanes resume news`") }
            #expect(try #require(place) < (none.next.firstIndex { $0.hasPrefix("Is it the batch_id") } ?? 0))
            let own = try investigate(.clients(["acme"])).notification(NotificationID(high: 7, low: 9))
            #expect(own.now.contains { $0.hasPrefix("The lane parcels is paused since") })
            let words = (own.now + own.next).joined(separator: " ")
            #expect(!words.contains("anna") && !words.contains("`waybill"), "\(words)")
        }
    }

    @Test(
        "in a storm of dead tokens, before a fuse has blown, no token is called dead",
        arguments: ["parcels", "news"]
    )
    func storm(lane: String) throws {
        let fleet = { (client: MongoClient, database: String) throws -> Void in
            try LeaseWriter(client: client, database: database).write(
                .storm(lane: lane, advice: "Look at the lane.", seen: Self.date)
            )
            let record = self.record(
                12,
                .tokenInvalid,
                token: "dead11",
                status: 410,
                reason: "Unregistered",
                date: WallClock.milliseconds()
            )
            let retention = RetentionPolicy(default: .days(30))
            let options = DeliveryLogOptions(database: database, tokens: .plain, retention: retention)
            try DeliveryLogWriter(client: client, options: options).write([LogEntry(record: record)])
        }
        try withLog(fleet: fleet) { investigate in
            let id = NotificationID(high: 7, low: 12)
            let device = try investigate(.all).token(Array("dead11".utf8))
            for next in [device.next, try investigate(.all).notification(id).next] {
                #expect(next.contains { $0.hasPrefix("Publish no more to this token") } == (lane == "news"), "\(next)")
                #expect(next.contains("Look at the lane.") == (lane == "parcels"), "\(next)")
            }
            let meaning = try #require(device.notifications.first).meaning
            #expect(meaning.contains("stop sending") == (lane == "news"), "\(meaning)")
            let own = try investigate(.clients(["acme"])).notification(id).next
            #expect(own.contains("Ask the operator what is wrong.") == (lane == "parcels"), "\(own)")
            // What died before it is of no storm.
            let earlier = try investigate(.all).token(Array(Self.dead.utf8)).next
            #expect(earlier.contains { $0.hasPrefix("Publish no more to this token") })
        }
    }

    /// A push that has no answer yet has no record: what is known of it, and that nothing is to be done.
    @Test func whatIsInHandSaysWhatToDo() throws {
        let status =
            #"{"ready":true,"in_flight":{"messages":1},"lanes":[{"name":"parcels","state":"open","streams":1}]}"#
        let fleet = { (client: MongoClient, database: String) throws -> Void in
            // When it was seen, the store notes.
            try LeaseWriter(client: client, database: database).write(.sample(status, seen: Self.date))
        }
        try withLog(fleet: fleet) { investigate in
            let unanswered = "On the lane parcels 1 push is sent, and the push service has not answered yet."
            let none = try investigate(.all).notification(NotificationID(high: 1, low: 1))
            #expect(none.now == ["The dispatcher has 1 message in hand: it may be among them.", unanswered])
            #expect(none.next.first?.hasPrefix("Nothing yet: what a dispatcher has in hand gets a record.") == true)
            // Of a device only what its lanes tell, where what it has been sent has ended.
            let device = try investigate(.all).token(Array(Self.dead.utf8))
            #expect(device.now.first == unanswered && device.now.count == 2)
            // What has ended is not among them.
            #expect(try investigate(.all).notification(NotificationID(high: 7, low: 1)).now.isEmpty)
            #expect(try investigate(.all).batch("campaign.1").now.count == 1)
            #expect(try investigate(.clients(["acme"])).token(Array(Self.dead.utf8)).now.isEmpty)
        }
    }

    /// Whoever has a key for some clients has no commands.
    @Test(arguments: ["campaign", "campaign.1", "nothing"])
    func aClientIsNotSentToCommands(batch: String) throws {
        try withLog { investigate in
            for scope in [DeliveryScope.clients(["acme"]), .clients(["rival"])] {
                let story = try investigate(scope).batch(batch)
                let words = (story.now + story.next).joined(separator: " ")
                #expect(!story.next.isEmpty && !words.contains("waybill "), "\(words)")
                let json = story.json(access: [])
                #expect(json.contains(#""get":"/v1/explain?apns_id="#) == words.contains("GET /v1/explain"))
            }
        }
    }
}
