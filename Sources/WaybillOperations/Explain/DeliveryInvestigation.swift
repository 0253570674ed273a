package import WaybillCore
package import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillFleet
package import WaybillMongo
import WaybillNotifications
import WaybillProviders
import WaybillThreads

/// Answers why a push did not arrive: from the log, from the registry where it may be read, and of what is not final, or not
/// recorded, from what dispatchers and orders say now.
///
/// *Thread:* its client's. *Blocking:* up to the time limits of reader and registry.
package struct DeliveryInvestigation {
    /// How many notifications of a device are told.
    package static let mostNotifications = 10
    /// How many records of a batch are looked at where all of them take too long.
    private static let sample = 50_000
    private static let mostDevices = 20

    private let reader: DeliveryLogReader
    private let registry: DeviceReader?
    private let client: MongoClient
    private let helpers: BatchHelpers?
    private let options: DeliveryLogOptions
    private let scope: DeliveryScope
    private let retry: RetryPolicy
    /// What the store has of campaigns; `nil` where nobody is to be told.
    private let posted: PostedLookUp?
    private let said: SaidLookUp
    private let audience: StoryReader
    private let rejections: () -> RejectedGlance?
    private let holdsDigests: Bool
    private let provider = ProviderName.ofRecords

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where log and registry are, and how the log holds tokens.
    ///   - scope: whose records and devices are told of.
    ///   - readsRegistry: whether the registry is asked.
    ///   - helpers: who may help with a large batch; `nil` for nobody.
    ///   - retry: the dispatchers' delay queues, as the configuration has them.
    ///   - postedClient: whose campaigns and notifications in the store are that do not say so; `nil` where they are not told of.
    ///   - access: what whoever asks may ask the HTTP API for, with a key for some clients.
    ///   - rejections: asked for a batch what lies in the rejected queue; `nil` where nobody may look.
    package init(
        client: MongoClient,
        options: DeliveryLogOptions,
        scope: DeliveryScope,
        readsRegistry: Bool = true,
        helpers: BatchHelpers? = nil,
        retry: RetryPolicy = RetryPolicy(),
        postedClient: String? = nil,
        access: AdviceRoute.Access = .all,
        rejections: @escaping () -> RejectedGlance? = { nil }
    ) {
        reader = DeliveryLogReader(
            client: client,
            options: options,
            scope: scope,
            maximumTime: DeliveryPage.longestTime
        )
        registry = readsRegistry ? DeviceReader(client: client, database: options.database) : nil
        var clients: Set<String>?
        if case .clients(let names) = scope { clients = Set(names) }
        said = SaidLookUp(client: client, database: options.database, clients: clients?.sorted())
        posted = postedClient.map { [clients] unnamed in
            return PostedLookUp(
                client: client,
                database: options.database,
                scope: CampaignStore.Scope(clients: clients, unnamed: unnamed)
            )
        }
        self.client = client
        self.helpers = helpers
        self.options = options
        self.scope = scope
        self.retry = retry
        self.rejections = rejections
        // What lanes and dispatchers do is about the whole installation, and so are its commands.
        audience = scope == .all ? .operators : .client(access)
        holdsDigests = if case .digest = options.tokens { true } else { false }
    }

    /// What is known of one notification.
    ///
    /// - Parameter id: its apns-id, as it was sent or given.
    /// - Returns: the stories of the records that have it; without any, the batch of that name, if there is one; none if
    ///   nothing is known of it.
    /// - Throws: what the log cannot be read for.
    package func notification(_ id: NotificationID) throws(MongoError) -> NotificationStories {
        let records = try reader.page(DeliveryQuery(id: id)).records
        if records.isEmpty, try isBatch(id.description) {
            let batch = try batch(id.description)
            return NotificationStories(notifications: [], batch: batch, next: batch.next)
        }
        var stories: [NotificationStory] = []
        let present = present(of: records)
        let taker = eventTaker(for: records)
        for record in records {
            let registry = registrySteps(of: record)
            stories.append(story(of: record, present: present, registry: registry, eventTaker: taker))
        }
        var campaign = PostedSentences()
        if let batch = records.first?.batchID, let posted { campaign = PostedSentences(of: batch, posted) }
        return NotificationStories(
            notifications: stories,
            now: campaign.found + present.sentences,
            next: audience.understands(campaign.next) + (stories.first?.next ?? [])
                + (stories.isEmpty
                    ? present.remedies + StoryAdvice.nothingFound(of: .notification(id), audience) : [])
        )
    }

    /// Whether an id is one of the front door: the name of a batch, whose deliveries have ids of their own.
    ///
    /// What may not be read is not there, as for any other id.
    private func isBatch(_ name: String) throws(MongoError) -> Bool {
        if ((try? said.notification(name)) ?? nil) != nil { return true }
        if let posted, ((try? posted.notification(name)) ?? nil) != nil { return true }
        let query = DeliveryQuery(batch: BatchName(name), limit: 1)
        return try !reader.page(query).records.isEmpty
    }

    /// What is known of one device.
    ///
    /// - Parameter token: the whole token, in lower-case hexadecimal digits.
    /// - Returns: its newest notifications, and what the registry says; no notifications if nothing is recorded.
    /// - Throws: what the log cannot be read for.
    package func token(_ token: [UInt8]) throws(MongoError) -> TokenStory {
        let page = try reader.page(DeliveryQuery(deviceToken: token[...], limit: Self.mostNotifications))
        let registry = registrySteps(token)
        let present = present(of: page.records)
        let taker = eventTaker(for: page.records)
        let stories = page.records.enumerated().map { place, record in
            let replacement = NotificationStory.replacement(of: record, in: page.records.prefix(place))
            return story(
                of: record,
                replacement: replacement,
                present: present,
                registry: registry,
                eventTaker: taker
            )
        }
        return TokenStory(
            notifications: stories,
            hasMore: page.next != nil,
            registry: registry,
            now: present.sentences,
            next: stories.first?.next ?? present.remedies + StoryAdvice.nothingFound(of: .token(token), audience)
        )
    }

    /// What is known of a batch and its parts.
    ///
    /// - Parameters:
    ///   - name: the `batch_id`.
    ///   - withParts: whether its parts and its slowest answers are told, too.
    /// - Returns: how it ended; without any group if nothing is recorded.
    /// - Throws: what the log cannot be read for.
    package func batch(_ name: String, withParts: Bool = false) throws(MongoError) -> BatchStory {
        var story: BatchStory
        do throws(MongoError) {
            story = try ending(of: name, sample: nil, withParts)
        } catch {
            guard error.code == .timeLimitExceeded else { throw error }
            story = try ending(of: name, sample: Self.sample, withParts)
        }
        let sending = SendingNow(client: client, database: database)
        let cancellations = sending.cancellations(of: name).filter { scope.includes(client: $0.client) }
        story.cancelled = cancellations.map { cancellation in
            BatchStory.Cancellation(
                batch: cancellation.batch.name,
                source: cancellation.source.name,
                date: cancellation.source.date,
                client: cancellation.client,
                note: cancellation.source.note
            )
        }
        story.rejected = rejections()?.messages(of: name, scope) ?? []
        let isFinal = !story.groups.isEmpty && story.pending.isEmpty
        var present = Present()
        let posted = posted.map { PostedSentences(name, $0) } ?? PostedSentences()
        let said = SaidSentences(name, recorded: story.total, now: WallClock.milliseconds(), said)
        story.isPosted = !posted.found.isEmpty || !said.found.isEmpty
        let isUnderWay = posted.isUnderWay || said.isUnderWay
        // Cancellations first: the page shows them apart.
        story.now =
            story.cancelled.map { StoryAdvice.cancelled($0, isRecorded: !story.groups.isEmpty) }
            + posted.found + said.found + posted.obstacles + (posted.obstacles.isEmpty ? said.obstacles : [])
            + StoryAdvice.rejected(story.rejected)
        if story.groups.isEmpty, posted.handedOver > 0 { story.now.append(StoryAdvice.handedOver) }
        // What a campaign has handed over may wait for its lane, without any record of it.
        if isFinal, !isUnderWay {
            story.now.append(StoryAdvice.final(of: story))
        } else if !story.groups.isEmpty || story.rejected.isEmpty || isUnderWay {
            let lanes = story.pending.map(\.lane) + (said.lane.map { [$0] } ?? [])
            present = self.present(sending, lanes: Self.lanes(lanes), isRecorded: false)
            story.now += present.sentences
        }
        // Of a batch whose records are all final, nothing waits that could still be sent.
        let lifts = isFinal ? [] : story.cancelled.map(audience.lift)
        story.next =
            lifts + StoryAdvice.next(ofRejected: story.rejected, audience) + audience.understands(posted.next)
            + present.remedies
            + StoryAdvice.next(of: story, openLanes: present.openLanes, reader: audience, provider: provider)
        return story
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

    private var database: String { options.database }

    /// What keeps notifications from being sent now, where one of them is not final, or none is recorded.
    private struct Present {
        var obstacles: [Obstacle] = []
        var openLanes: Set<String> = []
        var underWay: [String] = []

        var sentences: [String] { obstacles.map(\.text) + underWay }
        var remedies: [String] { obstacles.compactMap(\.remedy) }
    }

    private func present(of records: [LoggedDelivery]) -> Present {
        let deferred = records.filter { $0.outcome == Outcome.deferred.rawValue }
        guard records.isEmpty || !deferred.isEmpty else { return Present() }
        return present(
            SendingNow(client: client, database: database),
            lanes: Self.lanes(deferred.map(\.lane)),
            isRecorded: !records.isEmpty
        )
    }

    /// What keeps from being sent, as far as it is the business of who asks.
    ///
    /// - Parameters:
    ///   - sending: what dispatchers and orders say.
    ///   - lanes: the lanes that it is about; `nil` where it may be any.
    ///   - isRecorded: whether what is under way without a record is not what is asked for.
    /// - Returns: nothing where nothing does.
    private func present(_ sending: SendingNow, lanes: Set<String>?, isRecorded: Bool) -> Present {
        guard audience.isOperator else {
            let own = lanes ?? KnownNames(client: client, database: database, scope: scope).countedLanes
            return Present(
                obstacles: sending.obstaclesForClients(lanes: own, areConcerned: lanes != nil),
                openLanes: sending.openLanes.intersection(own)
            )
        }
        return Present(
            obstacles: sending.obstacles(lanes: lanes),
            openLanes: sending.openLanes,
            underWay: isRecorded ? [] : sending.underWay
        )
    }

    /// The lanes that records are of; `nil` where it may be any.
    private static func lanes(_ lanes: [String?]) -> Set<String>? {
        lanes.isEmpty || lanes.contains(nil) ? nil : Set(lanes.compactMap(\.self))
    }

    private func story(
        of record: LoggedDelivery,
        replacement: StoryStep? = nil,
        present: Present,
        registry: [StoryStep],
        eventTaker: EventTaker
    ) -> NotificationStory {
        let advice = record.reason.flatMap { provider.advice(recorded: record.outcome, reason: $0) }
        let verdict = verdict(of: record)
        var steps = NotificationStory.steps(of: record, provider: provider.title)
        if let due = RetryTime(of: record, policy: retry, provider: provider) {
            steps.append(due.step(now: WallClock.milliseconds()))
        }
        if let replacement { steps.append(replacement) }
        if let verdict {
            steps.append(StoryStep(.event, date: record.date, text: StoryAdvice.event(verdict)))
        }
        steps += registry
        steps.append(NotificationStory.expiry(of: record))
        return NotificationStory(
            record: record,
            steps: steps,
            meaning: DeliveryExplanation.text(record, provider: provider.title, advice: advice),
            next: StoryAdvice.next(
                of: record,
                verdict: verdict,
                obstacles: present.obstacles,
                openLanes: present.openLanes,
                registry: registry,
                eventTaker: eventTaker,
                reader: audience,
                provider: provider
            )
        )
    }

    private func verdict(of record: LoggedDelivery) -> TokenVerdict? {
        Outcome(rawValue: record.outcome).flatMap {
            provider.tokenVerdict(recorded: $0, statusCode: record.statusCode)
        }
    }

    /// Who takes the events of records; the store is asked where there are any.
    private func eventTaker(for records: [LoggedDelivery]) -> EventTaker {
        guard records.contains(where: { verdict(of: $0) != nil }) else { return .unknown }
        return EventTaker(client: client, database: database)
    }

    /// What the registry says of a record's token: it cannot be asked for a token of which the log holds a digest.
    private func registrySteps(of record: LoggedDelivery) -> [StoryStep] {
        guard holdsDigests, registry != nil, record.deviceToken != nil else {
            return registrySteps(record.deviceToken.map { Array($0.utf8) })
        }
        return [
            StoryStep(.registry, date: nil, text: "not asked: the log holds digests of tokens; the whole token tells")
        ]
    }

    /// What the registry says of a token.
    ///
    /// Where it cannot be asked, that is said in place of it: the log's part of the answer is worth having alone.
    private func registrySteps(_ token: [UInt8]?) -> [StoryStep] {
        guard let registry, let token else { return [] }
        do throws(MongoError) {
            let query = DeviceQuery(token: token, clients: clients)
            let cursor = registry.devices(query, limit: Self.mostDevices)
            var steps: [StoryStep] = []
            while let device = try cursor.next() { steps.append(Self.step(device)) }
            guard steps.isEmpty else { return steps }
            return [StoryStep(.registry, date: nil, text: clients == nil ? Self.noDevice : Self.noDeviceOfClients)]
        } catch {
            return [StoryStep(.registry, date: nil, text: "not readable: \(error)")]
        }
    }

    private static let noDevice = "no device has this token"
    private static let noDeviceOfClients = "no device of your clients has this token"

    private var clients: [String]? {
        switch scope {
        case .all: nil
        case .clients(let clients): Array(clients)
        }
    }

    private static func step(_ device: Device) -> StoryStep {
        let place = [device.app, device.environment].compactMap(\.self).joined(separator: ", ")
        let text = place.isEmpty ? device.state.rawValue : "\(device.state.rawValue) for \(place)"
        return StoryStep(.registry, date: device.since, text: text, reason: device.reason)
    }
}
