import WaybillAudience
import WaybillCore
package import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillFleet
package import WaybillMongo
import WaybillNotifications
import WaybillProviders
import WaybillReceipts
import WaybillThreads

extension BatchStory.Cancellation {
    init(_ order: Cancellation) {
        self.init(
            batch: order.batch.name,
            source: order.source.name,
            date: order.source.date,
            client: order.client,
            note: order.source.note
        )
    }
}

extension DeliveryInvestigation {
    /// How many records of a batch are looked at where all of them take too long.
    private static let sample = 50_000
    /// Of so many of its newest records the lanes are looked at: what was accepted is only counted.
    private static let newest = 50

    /// What is known of a batch and its parts.
    ///
    /// - Parameters:
    ///   - name: the `batch_id`, or the message-id of a message that was rejected.
    ///   - withParts: whether its parts and its slowest answers are told, too.
    /// - Returns: how it ended; without any group if nothing is recorded.
    /// - Throws: what the log cannot be read for.
    package func batch(_ name: String, withParts: Bool = false) throws(MongoError) -> BatchStory {
        try batch(name, withParts: withParts, rejections())
    }

    /// The same, with a look into the rejected queue that was taken already.
    func batch(
        _ name: String,
        withParts: Bool,
        _ look: RejectedGlance.Outcome?
    ) throws(MongoError) -> BatchStory {
        let facts = try facts(of: name, withParts: withParts, look)
        guard facts.mayBeSent else { return facts.told(Present()) }
        let present = present(
            facts.sending,
            lanes: lanes(of: facts.story, facts.said.lanes),
            unrecorded: facts.unrecorded,
            published: facts.published,
            due: facts.due
        )
        return facts.told(present)
    }

    /// Asks log, store and rejected queue.
    private func facts(
        of name: String,
        withParts: Bool,
        _ look: RejectedGlance.Outcome?
    ) throws(MongoError) -> BatchFacts {
        var story = try ending(of: name, withParts)
        story.groups = withRecords(story.groups)
        story.receipts = receipts(of: story)
        let glance = try? look?.get()
        let sending = SendingNow(client: client, database: database, waiting: glance?.waiting)
        let cancellations = sending.cancellations(of: name).filter { scope.includes(client: $0.client) }
        story.cancelled = cancellations.map(BatchStory.Cancellation.init)
        story.rejected = glance?.messages(of: name, scope) ?? []
        let posted = posted.map { PostedSentences(name, $0) } ?? PostedSentences()
        let said = SaidSentences(name, recorded: story.total, now: WallClock.milliseconds(), said)
        let isTold = !posted.found.isEmpty || !said.found.isEmpty
        let audiences = audiences(of: story, sending, isTold: isTold)
        let repeated = countRepeated(in: story, cancellations)
        let fuses = fuses(of: story)
        // Nothing tells which audience a message is about that nobody has taken.
        let mayBeAudience = story.groups.isEmpty && !isTold && audiences.found.isEmpty
        return BatchFacts(
            story: story,
            look: look,
            sending: sending,
            cancellations: cancellations,
            posted: posted,
            said: said,
            audiences: audiences,
            sentLater: sentLater(than: cancellations, batch: name),
            repeated: repeated,
            fuses: fuses,
            storms: storms(of: story, sending),
            unserved: UnservedBatch(
                repeated: repeated,
                released: released(of: story, fuses, sending),
                audiences: mayBeAudience ? glance?.waiting.audiences ?? 0 : 0,
                notifications: posted.waiting,
                running: sending.running,
                now: sending.now
            ),
            reader: audience
        )
    }

    /// The audiences of a batch's name.
    ///
    /// - Parameters:
    ///   - story: the batch's.
    ///   - sending: has the orders.
    ///   - isTold: whether what it is was told already: what stands in the store becomes an audience of its name.
    /// - Returns: nothing where it was.
    private func audiences(of story: BatchStory, _ sending: SendingNow, isTold: Bool) -> AudienceSentences {
        guard !isTold else { return AudienceSentences() }
        return AudienceSentences(
            story.name,
            scope,
            recorded: story.sample == nil ? story.total : 0,
            cancellations: sending.cancelled,
            now: WallClock.milliseconds(),
            AudienceStore(client: client, database: database)
        )
    }

    /// What fuses have done with the events of a batch; as with receipts, the rest is worth having alone.
    private func fuses(of story: BatchStory) -> FuseFindings {
        guard story.failures.contains(where: { $0.outcome == Outcome.tokenInvalid.rawValue }) else {
            return FuseFindings()
        }
        return (try? FuseFindings(client: client, database: database)) ?? FuseFindings()
    }

    /// The storms that tokens of a batch may have been called dead in; where none was, nobody is asked.
    private func storms(of story: BatchStory, _ sending: SendingNow) -> TokenStorms {
        let last = story.failures.filter { $0.outcome == Outcome.tokenInvalid.rawValue }.map(\.last).max()
        return last.map { TokenStorms(last: $0, sending, client, database) } ?? TokenStorms()
    }

    /// The fuses whose events were released, and have not been carried out, with events of a batch; none where somebody does it.
    private func released(of story: BatchStory, _ fuses: FuseFindings, _ sending: SendingNow) -> [FuseOverview] {
        guard sending.running?.contains("prune") == false else { return [] }
        let names = Set(story.failures.compactMap(fuses.released))
        guard !names.isEmpty else { return [] }
        let all = (try? FuseControl(client: client, database: database).survey())?.fuses ?? []
        return all.filter { names.contains($0.fuse.name) && $0.waitsForPrune }
    }

    /// What was sent of a cancelled batch because it says that it was published after the order; empty where nothing was.
    private func sentLater(than cancellations: [Cancellation], batch: String) -> [String] {
        guard !cancellations.isEmpty else { return [] }
        let query = DeliveryQuery(batch: BatchName(batch), limit: Self.newest)
        let records = (try? reader.page(query).records) ?? []
        let audiences = audienceRecords(of: records)
        return records.lazy.compactMap { record in
            StoryAdvice.sentLater(record, than: cancellations, audiences[record.batchID ?? ""] ?? [])
        }
        .first.map { [$0] } ?? []
    }

    /// The audiences of the batches of records, by their names; those that may not be read are not there.
    func audienceRecords(of records: [LoggedDelivery]) -> [ExactName: [AudienceRecord]] {
        let store = AudienceStore(client: client, database: database)
        var found: [ExactName: [AudienceRecord]] = [:]
        for name in Set(exactly: records.filter(StoryAdvice.wasPushed).compactMap(\.batchID)) {
            found[name] = (try? store.records(named: name.text))?.filter { scope.includes(client: $0.client) }
        }
        return found
    }

    /// The lanes of what may still be sent of a batch; `nil` where it may be any.
    private func lanes(of story: BatchStory, _ said: [String]) -> Set<String>? {
        let waiting = Set(story.pending.compactMap(\.lane) + said)
        guard waiting.isEmpty, story.pending.isEmpty else { return waiting }
        var lanes: [String?] = []
        if !story.groups.isEmpty {
            let query = DeliveryQuery(batch: BatchName(story.name), limit: Self.newest)
            let newest = ((try? reader.page(query).records) ?? []).map(\.lane)
            // What is invalid may have none.
            let unaccepted = story.failures + story.stopped + story.superseded
            lanes = (newest + unaccepted.map(\.lane)).filter { $0 != nil }
        }
        return Self.lanes(lanes)
    }

    /// Counts all of a batch, or where that takes too long a sample.
    private func ending(of name: String, _ withParts: Bool) throws(MongoError) -> BatchStory {
        do throws(MongoError) {
            return try ending(of: name, sample: nil, withParts)
        } catch {
            guard error.code == .timeLimitExceeded else { throw error }
            return try ending(of: name, sample: Self.sample, withParts)
        }
    }

    private func ending(of name: String, sample: Int?, _ withParts: Bool) throws(MongoError) -> BatchStory {
        let batch = BatchName(name)
        let (groups, parts): ([DeliveryGroup], BatchParts?)
        if let fold = sample == nil ? try count(batch, withParts) : nil {
            (groups, parts) = (fold.sortedGroups, withParts ? fold.parts : nil)
        } else if withParts {
            (groups, parts) = try reader.parts(of: batch, sample: sample)
        } else {
            (groups, parts) = (try reader.groups(DeliveryQuery(batch: batch), sample: sample), nil)
        }
        var story = BatchStory(name: name, groups: groups, sample: sample, next: [])
        story.parts = parts
        return story
    }

    /// Groups with what the records of their examples tell: the push service, and when what is deferred is tried again.
    ///
    /// What was accepted is only counted, and needs no words.
    private func withRecords(_ groups: [DeliveryGroup]) -> [DeliveryGroup] {
        let examples = groups.filter { $0.topic != nil }.flatMap {
            $0.outcome == Outcome.deferred.rawValue ? $0.examples : Array($0.examples.prefix(1))
        }
        guard let found = try? reader.records(of: examples, time: DeliveryPage.longestTime) else { return groups }
        let records = Dictionary(
            found.compactMap { record in record.id.map { ($0, record) } },
            uniquingKeysWith: { first, _ in first }
        )
        return groups.map { group in
            var group = group
            let example = group.examples.first.flatMap { records[$0] }
            group.provider = example?.provider
            group.detail = example?.history.last?.detail
            (group.expiration, group.expirationFrom) = (example?.expiration, example?.expirationFrom)
            let time = RetryTime(
                of: group,
                examples: group.examples.compactMap { records[$0] },
                policy: retry,
                provider: ProviderName(ofRecord: group.provider)
            )
            group.due = time.map { $0.earliest...$0.latest }
            return group
        }
    }

    /// What devices have said of a batch; `nil` where nothing is recorded, or it cannot be counted: the rest is worth having alone.
    private func receipts(of story: BatchStory) -> ReceiptTally? {
        guard !story.groups.isEmpty, story.sample == nil else { return nil }
        let end = ContinuousClock.now + DeliveryPage.longestTime
        func timeLeft() -> Duration { max(end - .now, .milliseconds(1)) }
        var ranges = BatchRanges(BatchName(story.name))
        var tally = ReceiptTally()
        do throws(MongoError) {
            guard try saidOfDevices.hasAny() else { return nil }
            let asksForGiven = try saidOfDevices.hasAnyOfGivenIDs()
            while let range = try ranges.next(reader, time: timeLeft()) {
                guard ContinuousClock.now < end else { return nil }
                let given = asksForGiven ? try reader.given(in: range, time: timeLeft()) : [:]
                let ids = try reader.ids(in: range, time: timeLeft()).filter { given[$0] == nil }
                tally.add(try saidOfDevices.tally(of: ids))
                tally.add(try saidOfDevices.tally(ofGiven: Array(given.values)))
            }
        } catch {
            return nil
        }
        return tally
    }

    /// All of a batch, range by range; `nil` where that cannot be, for `waybill init` has not made the index yet.
    private func count(_ batch: BatchName, _ withParts: Bool) throws(MongoError) -> BatchPartsFold? {
        do throws(MongoError) {
            return try BatchCount(batch, options: options, scope: scope, withParts: withParts)
                .run(client: client, helpers: helpers)
        } catch {
            guard error.nativeCode == Self.badValue else { throw error }
            return nil
        }
    }

    /// The server's code, also for a question by an index that is not there.
    private static let badValue: UInt32 = 2
}
